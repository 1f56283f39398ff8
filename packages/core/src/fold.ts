/** Letters and digits that people take for one another, by the one that stands for them. Names hold only a-z, 0-9 and `-`. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { '0': 'o', '1': 'l', i: 'l', '5': 's', '2': 'z', '8': 'b' };

/** A name with separators dropped and look-alikes merged: two names that fold alike would be mistaken for one another. */
export const fold = (name: string): string =>
  [...name.toLowerCase()]
    .filter((character) => character !== '-' && character !== '_')
    .map((character) => LOOK_ALIKES[character] ?? character)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
