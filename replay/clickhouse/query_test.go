package clickhouse

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"tapedeck/replay"
	"tapedeck/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The queries as they reach the server, to be read by a reviewer.
func TestQueries(t *testing.T) {
	tape := &tape{tenant: "default", session: "it's mine"}
	stream := &schema.StreamState{StreamID: "019b7d3c-0000-7000-8000-000000000000"}
	all := &replay.Query{}
	var b strings.Builder
	for _, tc := range []struct {
		name  string
		query pageQuery
	}{
		{"a page of a stream whose numbers have no gaps", pageQuery{query: all, from: bound{seq: 256}, rows: 1024, dense: true}},
		{"a page of any other", pageQuery{query: all, from: bound{seq: 256}, rows: 1024}},
		{"from a time on", pageQuery{query: all, from: bound{at: 1767323045123456789}, rows: 64}},
		{"without envelopes", pageQuery{query: &replay.Query{Bare: true}, rows: 256, dense: true}},
		{"filtered", pageQuery{query: &replay.Query{Filter: replay.Filter{
			Types: []string{"tool_call", `\ ' "`}, Agents: []string{"planner"},
			Directions: []schema.Direction{schema.Receive}, Bytes: true,
		}}, rows: 64}},
		{"several streams", pageQuery{query: all}},
	} {
		if tc.query.streams = append(tc.query.streams, stream); tc.query.rows == 0 {
			tc.query.streams = append(tc.query.streams, &schema.StreamState{StreamID: "0196b3a0-0000-7000-8000-000000000001"})
		}
		text, values, err := tc.query.build(tape)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "-- %s\n%s\n", tc.name, text)
		for _, v := range values {
			fmt.Fprintf(&b, "--   %s = %s\n", v.Key, v.Value)
		}
		for _, s := range tc.query.settings() {
			fmt.Fprintf(&b, "--   SETTINGS %s = %s\n", s.Key, s.Value)
		}
		b.WriteString("\n")
	}
	const golden = "testdata/queries.sql"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the queries have changed; look at them, then run this test with -update:\n%s", b.String())
	}
}
