CREATE TABLE "consult" (
	"id" text PRIMARY KEY NOT NULL,
	"run" text NOT NULL,
	"asker_run" text NOT NULL,
	"asker" text NOT NULL,
	"asker_principal" text NOT NULL,
	"asked_with" text,
	"agent" text NOT NULL,
	"principal" text NOT NULL,
	"question" text NOT NULL,
	"question_digest" text NOT NULL,
	"state" text NOT NULL,
	"version" integer NOT NULL,
	"claims" integer NOT NULL,
	"holder" text,
	"claimed_until" timestamp with time zone,
	"token_hash" text,
	"answer" text,
	"settled_by" text,
	"settled_reason" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "consult_run_unique" UNIQUE("run"),
	CONSTRAINT "consult_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "note" (
	"run" text NOT NULL,
	"decision" text NOT NULL,
	"agent" text NOT NULL,
	"consult" text NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "note_run_decision_pk" PRIMARY KEY("run","decision")
);
--> statement-breakpoint
DROP INDEX "call_by_run";--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "consult" ADD CONSTRAINT "consult_run_run_id_fk" FOREIGN KEY ("run") REFERENCES "public"."run"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "consult" ADD CONSTRAINT "consult_asker_run_run_id_fk" FOREIGN KEY ("asker_run") REFERENCES "public"."run"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "note" ADD CONSTRAINT "note_run_run_id_fk" FOREIGN KEY ("run") REFERENCES "public"."run"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "note" ADD CONSTRAINT "note_decision_decision_id_fk" FOREIGN KEY ("decision") REFERENCES "public"."decision"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "consult_queue" ON "consult" USING btree ("agent","state","created_at");--> statement-breakpoint
CREATE INDEX "consult_by_question" ON "consult" USING btree ("asker","agent","question_digest");--> statement-breakpoint
CREATE INDEX "consult_by_asker_run" ON "consult" USING btree ("asker_run","state");--> statement-breakpoint
CREATE INDEX "consult_by_deadline" ON "consult" USING btree ("state","expires_at");--> statement-breakpoint
CREATE INDEX "note_undelivered" ON "note" USING btree ("agent") WHERE "note"."delivered_at" is null;--> statement-breakpoint
CREATE INDEX "note_by_decision" ON "note" USING btree ("decision");--> statement-breakpoint
CREATE INDEX "note_by_consult" ON "note" USING btree ("consult");--> statement-breakpoint
CREATE INDEX "call_by_run" ON "call" USING btree ("run","id");