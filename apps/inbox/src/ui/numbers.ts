/** A share from 0 to 1 as people read it. Only none is 0 %, only all is 100 %. */
export function spellShare(share: number): string {
  const percent = Math.round(share * 100);
  if (percent === 0 && share > 0) return '< 1 %';
  if (percent === 100 && share < 1) return '> 99 %';
  return `${percent} %`;
}
