export const RulesRoute = () => null;
