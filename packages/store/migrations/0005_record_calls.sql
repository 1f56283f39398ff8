-- The two writes of the hot path, as functions: their plans are kept for the session, and planning them anew cost more than running them.

-- The approved call that is the same as one that would be allowed now and whose outcome its agent does not have yet; for a day after it ended.
-- What was asked in a consult's run serves that run alone; for agents acting for themselves, any session.
CREATE FUNCTION approved_twin(by_agent text, of_tool text, of_digest text, in_run text, asked_at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT twin.id FROM call AS twin JOIN run AS twin_run ON twin_run.id = twin.run
  WHERE twin.agent = by_agent AND twin.tool = of_tool AND twin.args_digest = of_digest
    AND twin.effect = 'ask' AND twin.delivered_at IS NULL AND twin.state IN ('queued', 'executing', 'done', 'failed', 'unknown')
    AND (twin.finished_at IS NULL OR twin.finished_at > asked_at - interval '1 day')
    AND (twin.run = in_run OR (twin_run.parent IS NULL AND (SELECT parent FROM run WHERE id = in_run) IS NULL))
  ORDER BY twin.id DESC LIMIT 1
$$;
--> statement-breakpoint
CREATE FUNCTION record_intents(calls json, events json) RETURNS TABLE (id text, authority bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH now_host AS (SELECT host.authority FROM host),
    admitted AS (
      INSERT INTO call (id, agent, principal, run, tool, args, args_digest, tool_digest, rules_digest, authority, mandate_versions, effect, grounds,
        claimed, state, version, attempt, is_idempotent, created_at, cause, reason, finished_at)
      SELECT fresh.* FROM json_to_recordset(calls) AS fresh(id text, agent text, principal text, run text, tool text, args text, args_digest text,
        tool_digest text, rules_digest text, authority bigint, mandate_versions jsonb, effect text, grounds jsonb, claimed text, state text,
        version int, attempt int, is_idempotent boolean, created_at timestamptz, cause text, reason text, finished_at timestamptz)
      WHERE fresh.authority = (SELECT now_host.authority FROM now_host)
        AND EXISTS (SELECT 1 FROM run WHERE run.id = fresh.run AND run.status = 'open' AND (run.expires_at IS NULL OR run.expires_at > fresh.created_at))
        AND (fresh.effect <> 'allow' OR approved_twin(fresh.agent, fresh.tool, fresh.args_digest, fresh.run, fresh.created_at) IS NULL)
      RETURNING call.id),
    logged AS (
      INSERT INTO audit_pending (id, type, at, actor_kind, actor_name, principal, agent, run, call, decision, payload)
      SELECT event.* FROM json_to_recordset(events) AS event(id text, type text, at timestamptz, actor_kind text, actor_name text, principal text,
        agent text, run text, call text, decision text, payload text)
      WHERE event.call IN (SELECT admitted.id FROM admitted))
  SELECT admitted.id, now_host.authority FROM now_host LEFT JOIN admitted ON true;
END
$$;
--> statement-breakpoint
CREATE FUNCTION record_outcomes(ends json, events json) RETURNS TABLE (id text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH ended AS (
      UPDATE call SET state = fresh.state, version = call.version + 1, result = fresh.result, reason = fresh.reason, finished_at = fresh.at,
        delivered_at = fresh.at
      FROM json_to_recordset(ends) AS fresh(id text, "from" int, state text, result text, reason text, at timestamptz)
      WHERE call.id = fresh.id AND call.version = fresh."from" AND call.state = 'running'
      RETURNING call.id),
    logged AS (
      INSERT INTO audit_pending (id, type, at, actor_kind, actor_name, principal, agent, run, call, decision, payload)
      SELECT event.* FROM json_to_recordset(events) AS event(id text, type text, at timestamptz, actor_kind text, actor_name text, principal text,
        agent text, run text, call text, decision text, payload text)
      WHERE event.call IN (SELECT ended.id FROM ended))
  SELECT ended.id FROM ended;
END
$$;
