ALTER TABLE "call" ADD COLUMN "may_have_run" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
UPDATE call SET may_have_run = true WHERE state = 'unknown' OR (attempt > 0 AND finished_at IS NOT NULL AND state IN ('held', 'queued', 'executing'));
--> statement-breakpoint

-- As before, and a call that is still held counts too: one that would be allowed by now would run beside it, and again once somebody approves it.
CREATE OR REPLACE FUNCTION approved_twin(by_agent text, of_tool text, of_digest text, in_run text, asked_at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT twin.id FROM call AS twin JOIN run AS twin_run ON twin_run.id = twin.run
  WHERE twin.agent = by_agent AND twin.tool = of_tool AND twin.args_digest = of_digest
    AND twin.effect = 'ask' AND twin.delivered_at IS NULL AND twin.state IN ('held', 'queued', 'executing', 'done', 'failed', 'unknown')
    AND (twin.finished_at IS NULL OR twin.finished_at > asked_at - interval '1 day')
    AND (twin.run = in_run OR (twin_run.parent IS NULL AND (SELECT parent FROM run WHERE id = in_run) IS NULL))
  ORDER BY twin.id DESC LIMIT 1
$$;
