package prometheus

import (
	"regexp"
	"testing"
)

// unmovedMetrics are those that the servers of the test may leave at 0, without the prefix
// tapedeck_, and why.
var unmovedMetrics = []struct{ names, why string }{
	{"(jetstream|publish)_(in_flight_messages|oldest_.*|redelivered_.*|unstored_.*)|ingest_(oldest|un)_?.*acknowledged_.*|ingest_ws_connections|reader_bytes|readers|replay_playbacks|emulate_connections",
		"is of what is under way at the moment of a scrape"},
	{"proxy_.*", "is of tapedeck proxy"},
	{"upload_.*|recorders_refused_total", "is of recorders of their own"},
	{"spool_(blocks|bytes|full|oldest_seconds|spooling|written_total|sent_total|retries_total|damaged_total|refused_total)|publish_failures_total|audit_(lost|unreadable)_total|ingest_http_not_taken_total",
		"needs that JetStream is away"},
	{"sink_(insert_failures|dead_blocks|deleted_blocks)_total|dead_letter.*|settle_failures_total|clickhouse_restarts_total", "needs that ClickHouse is away, or refuses blocks"},
	{"settle_seconds|settled_timestamp_seconds|unsettled_sessions", "is of the settlement, half a minute after the start"},
	{"certificate_reloads_total", "needs that a certificate is renewed"},
	{"slow_clients_total|ingest_limits_total|ingest_ws_.*|http_refused_pages_total|readers_refused_total|limit_waited_seconds_total|open_limit", "needs a client that does something wrong, or too much"},
	{"ingest_(dropped_)?deleted_blocks_total", "needs that a session is deleted while it is recorded"},
	{"trace_spans_total", "needs a collector of traces"},
	{"emulate_requests_total", "needs a client of an emulated server"},
	{"backup_.*", "needs a backup"},
	{"bill.*", "needs a billing account"},
	{"erasure.*", "needs an erasure"},
	{"expired_.*", "needs a policy of retention"},
}

// unmoved returns why no server of the test moves a metric; "" if it should.
func unmoved(name string) string {
	for _, m := range unmovedMetrics {
		if regexp.MustCompile("^tapedeck_(" + m.names + ")$").MatchString(name) {
			return m.why
		}
	}
	return ""
}

// checkMoved checks that each metric of the reference has a value other than 0 at the end, or is on
// the list of those that have none.
func checkMoved(t *testing.T, well, bad scraped) {
	t.Helper()
	moved := 0
	for _, m := range inTable.FindAllStringSubmatch(read(t, "../../docs/reference/metrics.md"), -1) {
		switch {
		case well.moves(m[1]) || bad.moves(m[1]):
			moved++
		case unmoved(m[1]) == "":
			t.Errorf("no server of the test moves %s from 0, and the list does not say why", m[1])
		}
	}
	if moved < 50 {
		t.Errorf("%d metrics were moved", moved)
	}
}
