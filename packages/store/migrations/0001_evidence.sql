CREATE TABLE "evidence" (
	"id" text PRIMARY KEY NOT NULL,
	"agent" text NOT NULL,
	"principal" text NOT NULL,
	"run" text NOT NULL,
	"decision" text,
	"claim" text NOT NULL,
	"source" text NOT NULL,
	"reference" text,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "term_use" (
	"principal" text NOT NULL,
	"term" text NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "term_use_principal_term_pk" PRIMARY KEY("principal","term")
);
--> statement-breakpoint
ALTER TABLE "call" ADD COLUMN "counted_by" text[];--> statement-breakpoint
ALTER TABLE "answer" ADD COLUMN "remember" jsonb;--> statement-breakpoint
ALTER TABLE "term_use" ADD CONSTRAINT "term_use_principal_principal_name_fk" FOREIGN KEY ("principal") REFERENCES "public"."principal"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "evidence_by_decision" ON "evidence" USING btree ("decision");--> statement-breakpoint
CREATE INDEX "evidence_by_run" ON "evidence" USING btree ("run");