export const MandateRoute = () => null;
