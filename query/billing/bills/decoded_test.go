package bills

import (
	"fmt"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/redecode"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse"
)

// meter is a dialect in two versions. The first counts what tokens.in and tokens.out state,
// also of estimates. The second counts other fields, and no estimates.
const (
	meter = `
name: meter
type: kind
session: conv
model: engine
provider: vendor
rules:
  - when: {kind: spent}
    usage: {mode: add, id: call, input: %s, output: %s}
  - when: {kind: estimate}
    %s
`
	meterFrame = `{"kind":%q,"conv":%q,"engine":%q,"vendor":"anthropic","call":%q,"tokens":{"in":%d,"out":%[5]d,"fresh":60,"said":130}}`
)

var (
	meterBefore = fmt.Sprintf(meter, "tokens.in", "tokens.out", "usage: {mode: add, id: call, input: tokens.in, output: tokens.out}")
	meterAfter  = fmt.Sprintf(meter, "tokens.fresh", "tokens.said", "ignore: true")
)

func mapping(t *testing.T, text string) *custom.Mapping {
	t.Helper()
	m, err := custom.Parse("meter.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// recordMeter records frames as a tap does whose decoders have the first version of meter: a
// call and an estimate a second later.
func (w *world) recordMeter(session, tag, value, when string) {
	w.Helper()
	if err := dialects.SetCustom([]dialect.Dialect{mapping(w.T, meterBefore).Dialect()}); err != nil {
		w.Fatal(err)
	}
	defer func() {
		if err := dialects.SetCustom(nil); err != nil {
			w.Error(err)
		}
	}()
	var blocks ingesttest.Memory
	stream, err := ingest.NewRecorder(&blocks, ingest.Settings{ID: "recorder"}).Open(ingest.StreamOptions{
		Tenant: querytest.Tenant, Dialect: "meter", Transport: schema.NDJSON, Tags: map[string]string{tag: value},
	})
	if err != nil {
		w.Fatal(err)
	}
	for i, f := range []string{fmt.Sprintf(meterFrame, "spent", session, opus, "a", 100), fmt.Sprintf(meterFrame, "estimate", session, opus, "b", 1)} {
		frame := &schema.Frame{At: at(when).Add(time.Duration(i) * time.Second).UnixNano(), Raw: []byte(f), Transport: schema.NDJSON}
		if err := stream.Record(w.Context(), frame); err != nil {
			w.Fatal(err)
		}
	}
	if _, err := stream.Close(w.Context(), "eof"); err != nil {
		w.Fatal(err)
	}
	batch := clickhouse.NewBatch()
	for _, b := range blocks.Blocks() {
		if err := batch.Add(querytest.Tenant, b); err != nil {
			w.Fatal(err)
		}
	}
	client, err := clickhouse.Dial(w.Context(), w.db.DSN)
	if err != nil {
		w.Fatal(err)
	}
	defer client.Close()
	if err := batch.Insert(w.Context(), client); err != nil {
		w.Fatal(err)
	}
}

// redecodeMeter decodes the frames of a session again by the second version of meter.
func (w *world) redecodeMeter(session string) {
	w.Helper()
	w.db.Merge()
	r, err := redecode.New(w.db.Conn, w.db.DSN, nil).Decode(w.Context(), querytest.Tenant, session, redecode.Options{Dialect: "meter", File: mapping(w.T, meterAfter)})
	if err != nil {
		w.Fatal(err)
	}
	if len(r.Streams) != 1 || r.Streams[0].Frames != 2 || r.Streams[0].Usages != 1 {
		w.Errorf("decoded again: %+v", r.Streams)
	}
}
