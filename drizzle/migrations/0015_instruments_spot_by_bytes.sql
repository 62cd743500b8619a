DROP INDEX "instruments_spot";--> statement-breakpoint
CREATE INDEX "instruments_spot" ON "instruments" USING btree ("generation",symbol collate "C","exchange") WHERE underlying is null;