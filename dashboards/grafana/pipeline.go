package grafana

import "strings"

// number is a stat of one PromQL expression. In expressions {} is replaced by the selected servers.
func number(title, about, unit, expr string) Panel {
	return Panel{Kind: stat, Title: title, About: about, Unit: unit, Width: 4, Height: 4, Queries: []Query{{Expr: ofServers(expr)}}}
}

func lines(title, about, unit string, pairs ...string) Panel {
	p := Panel{Kind: timeSeries, Title: title, About: about, Unit: unit, Width: 8, Height: 7}
	for i := 0; i < len(pairs); i += 2 {
		p.Queries = append(p.Queries, Query{Legend: pairs[i], Expr: ofServers(pairs[i+1])})
	}
	return p
}

func ofServers(expr string) string {
	expr = strings.ReplaceAll(expr, "{}", `{instance=~"$instance"}`)
	return strings.ReplaceAll(expr, "{tenant}", `{instance=~"$instance", tenant=~"$tenant"}`)
}

// quantile is a quantile of a histogram, of all its labels together.
func quantile(q, name string) string {
	return "histogram_quantile(" + q + ", sum by (le) (rate(" + name + "_bucket{}[$__rate_interval])))"
}

func rate(by, series string) string {
	if by != "" {
		by = " by (" + by + ")"
	}
	return "sum" + by + " (rate(" + series + "[$__rate_interval]))"
}

// orZero is 0 where a series appears only with the first event that it counts.
func orZero(expr string) string { return expr + " or vector(0)" }

func pipeline() *Dashboard {
	return &Dashboard{
		UID: "tapedeck-pipeline", Title: "tapedeck: pipeline health", From: "now-6h",
		About: "The way of recordings from taps over JetStream and the sink to ClickHouse, and their readers. What to do about alerts is in docs/operate/runbook.md.",
		Variables: []Variable{
			choosePrometheus,
			{Name: "instance", Label: "Server", PromQL: "label_values(tapedeck_build_info, instance)"},
			{Name: "tenant", Label: "Tenant", PromQL: "label_values(tapedeck_ingest_blocks_total, tenant)"},
			uiAddress,
		},
		Panels: []Panel{
			number("Ready servers", "Servers of which /readyz answers 200.", "short", "sum(tapedeck_ready{})"),
			number("Checks that fail", "Checks of /readyz that fail.", "short", "sum(1 - tapedeck_check_ok{})"),
			number("Failed requests", "Share of HTTP requests that were answered with 5xx.", "percentunit", "("+orZero(`sum(rate(tapedeck_http_requests_total{instance=~"$instance", code=~"5.."}[$__rate_interval]))`)+") / "+rate("", "tapedeck_http_requests_total{}")),
			number("Oldest unstored", "Age of the oldest block in JetStream that is not in ClickHouse.", "s", "max(tapedeck_jetstream_oldest_unstored_seconds{})"),
			number("Fullest spool", "How full the fullest spool is.", "percentunit", "max(tapedeck_spool_bytes{} / (tapedeck_spool_limit_bytes{} > 0))"),
			number("Set aside", "Blocks that could not be stored and were set aside.", "short", "max(tapedeck_dead_letters{})"),

			lines("Blocks taken", "Blocks that were to be recorded, by outcome.", "ops", "{{outcome}}", rate("outcome", "tapedeck_ingest_blocks_total{tenant}")),
			lines("Frames by tenant", "Frames that are durable.", "ops", "{{tenant}}", rate("tenant", "tapedeck_ingest_frames_total{tenant}")),
			lines("Bytes by tenant", "Bytes of blocks that are durable.", "Bps", "{{tenant}}", rate("tenant", "tapedeck_ingest_bytes_total{tenant}")),
			lines("Time until durable", "Time from offering a block to its being durable.", "s", "50 %", quantile("0.5", "tapedeck_ingest_seconds"), "99 %", quantile("0.99", "tapedeck_ingest_seconds")),
			lines("Unacknowledged blocks", "Blocks that were offered and are neither durable nor refused, and the age of the oldest, in seconds.", "short", "blocks", "sum(tapedeck_ingest_unacknowledged_blocks{})", "oldest, s", "max(tapedeck_ingest_oldest_unacknowledged_seconds{})"),
			lines("Refused because of a limit", "Requests that were refused, by limit.", "ops", "{{limit}}", orZero(rate("limit", "tapedeck_limit_refused_total{tenant}"))),

			lines("JetStream", "Messages that the sink has not stored, and those that sinks hold.", "short", "unstored", "max(tapedeck_jetstream_unstored_messages{})", "in flight", "max(tapedeck_jetstream_in_flight_messages{})"),
			lines("Publishing", "Time until JetStream acknowledges a message.", "s", "50 %", quantile("0.5", "tapedeck_publish_seconds"), "99 %", quantile("0.99", "tapedeck_publish_seconds")),
			lines("Publishing failures", "Messages that JetStream refused or did not acknowledge in time.", "ops", "{{instance}}", rate("instance", "tapedeck_publish_failures_total{}")),
			lines("Spools", "Bytes in the spools, by directory.", "bytes", "{{instance}} {{dir}}", "sum by (instance, dir) (tapedeck_spool_bytes{})"),
			lines("Disks of servers", "Share of each disk that is used.", "percentunit", "{{instance}} {{dir}}", "1 - sum by (instance, dir) (tapedeck_disk_free_bytes{}) / sum by (instance, dir) (tapedeck_disk_size_bytes{})"),
			lines("Size of the stream", "Bytes in the stream of blocks.", "bytes", "bytes", "max(tapedeck_jetstream_bytes{})"),

			lines("Stored frames", "Frames that were stored in ClickHouse, repeats included.", "ops", "{{instance}}", rate("instance", "tapedeck_sink_frames_total{}")),
			lines("Inserts", "Time that a batch took to insert.", "s", "50 %", quantile("0.5", "tapedeck_sink_insert_seconds"), "99 %", quantile("0.99", "tapedeck_sink_insert_seconds")),
			lines("Failed inserts", "Inserts into ClickHouse that failed and were tried again.", "ops", "{{instance}}", rate("instance", "tapedeck_sink_insert_failures_total{}")),
			lines("ClickHouse answers", "Time that ClickHouse takes for a statement that reads no table.", "s", "{{instance}}", "max by (instance) (tapedeck_clickhouse_answer_seconds{})"),
			lines("Parts in a partition", "ClickHouse delays inserts above 1000 and refuses them above 3000.", "short", "parts", "max(tapedeck_clickhouse_partition_parts{})"),
			lines("Disks of ClickHouse", "Share of each disk that is used.", "percentunit", "{{disk}}", "1 - max by (disk) (tapedeck_clickhouse_disk_free_bytes{}) / max by (disk) (tapedeck_clickhouse_disk_size_bytes{})"),

			lines("HTTP requests", "Requests that were answered, by status.", "reqps", "{{code}}", rate("code", "tapedeck_http_requests_total{}")),
			lines("HTTP times", "99 % of the requests of a route take at most as long. Streams take as long as they are read.", "s", "{{route}}", "histogram_quantile(0.99, sum by (route, le) (rate(tapedeck_http_request_seconds_bucket{}[$__rate_interval])))"),
			lines("Statements", "99 % of the statements on ClickHouse take at most as long.", "s", "{{statement}}", "histogram_quantile(0.99, sum by (statement, le) (rate(tapedeck_query_statement_seconds_bucket{}[$__rate_interval])))"),
			lines("Playbacks", "Playbacks that run, and readers of recordings.", "short", "playbacks", "sum(tapedeck_replay_playbacks{})", "readers", "sum(tapedeck_readers{})"),
			lines("Ends of playbacks", "Playbacks by how they ended.", "ops", "{{outcome}}", orZero(rate("outcome", "tapedeck_replay_playbacks_total{}"))),
			lines("Lateness", "How much later than due 99 % of the frames were handed on at most.", "s", "99 %", quantile("0.99", "tapedeck_replay_lateness_seconds")),

			lines("Memory", "Resident memory of servers.", "bytes", "{{instance}}", `sum by (instance) (process_resident_memory_bytes{} and on (instance) tapedeck_build_info)`),
			lines("Processor", "Cores that servers use.", "short", "{{instance}}", "sum by (instance) (rate(process_cpu_seconds_total{}[$__rate_interval]) and on (instance) tapedeck_build_info)"),
			lines("Last settled", "Time since usage was settled: what usage reports and costs on dashboards are late by, at least.", "s", "settled", "time() - max(tapedeck_settled_timestamp_seconds{})"),
		},
	}
}
