export { canonicalize } from './canonical.ts';
