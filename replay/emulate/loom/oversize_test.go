package loom_test

import (
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest/dialect/dialects/dialectstest"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// A message that was recorded in several frames is sent as one.
func TestOversize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := &replaytest.Tape{Decode: dialectstest.Decode}
		values := event("run-a", 1, `"type":"values","values":{"text":"long"}`)
		piece := func(f *schema.Frame) { f.Flags |= schema.FlagOversize }
		tape.Stream(schema.WebSocket, "loom").
			Add(0, `{"type":"run","message":"one","agent":"react"}`, et.Sent).
			Add(100*ms, event("run-a", 0, `"type":"node_enter","id":"think"`)).
			Add(200*ms, values[:len(values)/2+1], piece).Add(200*ms, values[len(values)/2+1:], piece).
			Add(time.Second, `{"type":"run_end","id":"run-a","reply":"1"}`)
		c := dial(t, et.ServePipe(t, handler(tape)), et.Base)
		c.say(`{"type":"run","message":"x","agent":"react","id":"mine"}`)
		c.want("100 "+event("run-a", 0, `"type":"node_enter","id":"think"`), "200 "+values, `1000 {"type":"run_end","id":"run-a","reply":"1"}`)
	})
}
