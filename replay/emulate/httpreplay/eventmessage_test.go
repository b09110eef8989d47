package httpreplay_test

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// Lines of Bedrock are sent as the messages that its clients decode.
func TestBedrockLines(t *testing.T) {
	tape := &replaytest.Tape{}
	tape.Stream(schema.NDJSON, "bedrock").
		Add(0, `{"messageStart":{"role":"assistant"},"p":"abc"}`+"\n", et.Typed("messageStart", "")).
		Add(0, `{"throttlingException":{"message":"Too many"}}`+"\n")
	res, err := http.Post(et.Serve(t, handler(tape))+"/model/m/converse-stream?speed=max", "", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.Header.Get("Content-Type") != "application/vnd.amazon.eventstream" {
		t.Fatal(res.Header, err)
	}
	for _, want := range [][4]string{
		{":event-type", "messageStart", "event", `{"role":"assistant"}`},
		{":exception-type", "throttlingException", "exception", `{"message":"Too many"}`},
	} {
		total, _, ok := schema.EventLengths(body)
		if !ok || total > len(body) {
			t.Fatalf("no message: %q", body)
		}
		raw := body[:total]
		body = body[total:]
		m, ok := schema.ParseEventMessage(raw)
		if got := string(m.Header(want[0])); !ok || got != want[1] || string(m.Header(":message-type")) != want[2] || string(m.Payload) != want[3] {
			t.Errorf("got %q with the payload %s, want %q", got, m.Payload, want)
		}
		if binary.BigEndian.Uint32(raw[8:]) != crc32.ChecksumIEEE(raw[:8]) ||
			binary.BigEndian.Uint32(raw[total-4:]) != crc32.ChecksumIEEE(raw[:total-4]) {
			t.Error("a checksum is wrong")
		}
	}
	if len(body) > 0 {
		t.Errorf("%q follows", body)
	}
}
