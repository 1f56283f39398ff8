export const AuditRoute = () => null;
