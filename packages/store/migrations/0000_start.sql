CREATE TABLE "agent" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"folded" text NOT NULL,
	"principal" text NOT NULL,
	"status" text NOT NULL,
	"description" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_name_unique" UNIQUE("name"),
	CONSTRAINT "agent_folded_unique" UNIQUE("folded")
);
--> statement-breakpoint
CREATE TABLE "credential" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"agent" text,
	"principal" text NOT NULL,
	"secret_hash" text NOT NULL,
	"scopes" jsonb,
	"hold" jsonb,
	"label" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "credential_secret_hash_unique" UNIQUE("secret_hash")
);
--> statement-breakpoint
CREATE TABLE "audit_pending" (
	"arrival" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_pending_arrival_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text NOT NULL,
	"type" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_name" text NOT NULL,
	"principal" text,
	"agent" text,
	"run" text,
	"call" text,
	"decision" text,
	"payload" text NOT NULL,
	CONSTRAINT "audit_pending_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "call" (
	"id" text PRIMARY KEY NOT NULL,
	"agent" text NOT NULL,
	"principal" text NOT NULL,
	"run" text NOT NULL,
	"tool" text NOT NULL,
	"args" text NOT NULL,
	"args_digest" text NOT NULL,
	"effective_args" text,
	"tool_digest" text NOT NULL,
	"rules_digest" text NOT NULL,
	"authority" integer NOT NULL,
	"mandate_versions" jsonb NOT NULL,
	"effect" text NOT NULL,
	"grounds" jsonb NOT NULL,
	"claimed" text,
	"state" text NOT NULL,
	"version" integer NOT NULL,
	"attempt" integer NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"cause" text,
	"reason" text,
	"result" text,
	"told_at" timestamp with time zone,
	"delivered_at" timestamp with time zone,
	"is_idempotent" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "run" (
	"id" text PRIMARY KEY NOT NULL,
	"agent" text NOT NULL,
	"principal" text NOT NULL,
	"parent" text,
	"origin" text NOT NULL,
	"task" text,
	"status" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "run_origin_unique" UNIQUE("origin")
);
--> statement-breakpoint
CREATE TABLE "answer" (
	"id" text PRIMARY KEY NOT NULL,
	"decision" text NOT NULL,
	"principal" text NOT NULL,
	"effect" text NOT NULL,
	"note" text,
	"edited_args" text,
	"shown_digest" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "decision" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"call" text,
	"request" jsonb,
	"tool" text,
	"title" text NOT NULL,
	"principal" text NOT NULL,
	"answer_by" text[] NOT NULL,
	"needs" integer NOT NULL,
	"agent" text NOT NULL,
	"run" text NOT NULL,
	"chain" jsonb NOT NULL,
	"grounds" jsonb NOT NULL,
	"context" jsonb NOT NULL,
	"irreversible" boolean NOT NULL,
	"shown_digest" text NOT NULL,
	"state" text NOT NULL,
	"version" integer NOT NULL,
	"approvals" jsonb NOT NULL,
	"settled_by" text,
	"settled_reason" text,
	"supersedes" text,
	"superseded_by" text,
	"after_refusal_of" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"remind_at" timestamp with time zone,
	"settled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "host" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"authority" bigint NOT NULL,
	"frozen_at" timestamp with time zone,
	"frozen_by" text,
	"frozen_reason" text,
	"seeded_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "tool" (
	"key" text PRIMARY KEY NOT NULL,
	"server" text NOT NULL,
	"name" text NOT NULL,
	"first_digest" text NOT NULL,
	"accepted_digest" text NOT NULL,
	"current_digest" text NOT NULL,
	"definition" text NOT NULL,
	"state" text NOT NULL,
	"changes" integer DEFAULT 0 NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"changed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"key" text PRIMARY KEY NOT NULL,
	"body_digest" text NOT NULL,
	"status" integer NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mandate" (
	"principal" text NOT NULL,
	"version" integer NOT NULL,
	"scopes" jsonb NOT NULL,
	"terms" jsonb NOT NULL,
	"budget" jsonb,
	"made_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "mandate_principal_version_pk" PRIMARY KEY("principal","version")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"job" text NOT NULL,
	"subject" text NOT NULL,
	"run_at" timestamp with time zone NOT NULL,
	"relay_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "principal" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"display_name" text NOT NULL,
	"email" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "principal_name_unique" UNIQUE("name")
);
--> statement-breakpoint
ALTER TABLE "agent" ADD CONSTRAINT "agent_principal_principal_name_fk" FOREIGN KEY ("principal") REFERENCES "public"."principal"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential" ADD CONSTRAINT "credential_agent_agent_name_fk" FOREIGN KEY ("agent") REFERENCES "public"."agent"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential" ADD CONSTRAINT "credential_principal_principal_name_fk" FOREIGN KEY ("principal") REFERENCES "public"."principal"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "answer" ADD CONSTRAINT "answer_decision_decision_id_fk" FOREIGN KEY ("decision") REFERENCES "public"."decision"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "decision" ADD CONSTRAINT "decision_call_call_id_fk" FOREIGN KEY ("call") REFERENCES "public"."call"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mandate" ADD CONSTRAINT "mandate_principal_principal_name_fk" FOREIGN KEY ("principal") REFERENCES "public"."principal"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credential_by_agent" ON "credential" USING btree ("agent");--> statement-breakpoint
CREATE INDEX "credential_by_principal" ON "credential" USING btree ("principal");--> statement-breakpoint
CREATE INDEX "audit_pending_by_decision" ON "audit_pending" USING btree ("decision");--> statement-breakpoint
CREATE INDEX "audit_pending_by_call" ON "audit_pending" USING btree ("call");--> statement-breakpoint
CREATE INDEX "audit_pending_by_agent" ON "audit_pending" USING btree ("agent","arrival");--> statement-breakpoint
CREATE INDEX "audit_pending_by_type" ON "audit_pending" USING btree ("type","arrival");--> statement-breakpoint
CREATE INDEX "call_by_digest" ON "call" USING btree ("agent","tool","args_digest");--> statement-breakpoint
CREATE INDEX "call_by_run" ON "call" USING btree ("run");--> statement-breakpoint
CREATE INDEX "call_open" ON "call" USING btree ("state","lease_until");--> statement-breakpoint
CREATE INDEX "run_by_parent" ON "run" USING btree ("parent");--> statement-breakpoint
CREATE INDEX "run_by_agent" ON "run" USING btree ("agent");--> statement-breakpoint
CREATE UNIQUE INDEX "answer_once" ON "answer" USING btree ("decision","principal");--> statement-breakpoint
CREATE INDEX "decision_by_state" ON "decision" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "decision_by_deadline" ON "decision" USING btree ("state","expires_at");--> statement-breakpoint
CREATE INDEX "decision_by_call" ON "decision" USING btree ("call");--> statement-breakpoint
CREATE INDEX "decision_by_agent" ON "decision" USING btree ("agent","state");--> statement-breakpoint
CREATE INDEX "decision_by_answerer" ON "decision" USING gin ("answer_by");--> statement-breakpoint
CREATE INDEX "idempotency_by_age" ON "idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "outbox_once" ON "outbox" USING btree ("job","subject");--> statement-breakpoint
CREATE INDEX "outbox_due" ON "outbox" USING btree ("relay_at");