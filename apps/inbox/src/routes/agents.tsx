export const AgentsRoute = (_: { readonly name: string | null }) => null;
