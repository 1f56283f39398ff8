import { InvalidArgumentError } from 'commander';

/** Reads an option that is a whole number between two bounds. */
export const count =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
    return value;
  };
