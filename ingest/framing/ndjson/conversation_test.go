package ndjson_test

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/framingtest"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/schema"
)

const chatHead = `{"sessionId":"s","projectHash":"h",`

// TestChat reads "frame|flags" for what comes of the conversation files of the Gemini CLI,
// and of what only looks like one.
func TestChat(t *testing.T) {
	long := strings.Repeat("x", 4096)
	for _, tc := range []struct {
		name, text string
		limit      int
		want       []string
	}{
		{"printed", "{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"h\",\n  \"messages\": [\n    {\n      \"id\": \"]}\"\n    },\n    {}\n  ],\n  \"kind\": \"main\"\n}\n", 0, []string{
			"{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"h\",\n  \"messages\": |", "[\n    {\n      \"id\": \"]}\"\n    }|joined",
			",\n    {}|joined", "\n  ],\n  \"kind\": \"main\"\n}\n|joined,note"}},
		{"compact", chatHead + `"messages":[{"a":1},{}],"summary":"a ]} \" b"}`, 0, []string{
			chatHead + `"messages":|`, `[{"a":1}|joined`, ",{}|joined", `],"summary":"a ]} \" b"}|joined,note`}},
		{"after the mark, CRLF", "\xef\xbb\xbf{\r\n \"sessionId\":\"s\",\r\n \"projectHash\":\"h\",\r\n \"messages\":[\r\n{}\r\n]\r\n}\r\n", 0, []string{
			"\xef\xbb\xbf{\r\n \"sessionId\":\"s\",\r\n \"projectHash\":\"h\",\r\n \"messages\":|", "[\r\n{}|joined", "\r\n]\r\n}\r\n|joined,note"}},
		{"a line end before the array", "{\n \"sessionId\":\"s\",\n \"projectHash\":\"h\",\n \"messages\":\n [{}]\n}\n", 0, []string{
			"{\n \"sessionId\":\"s\",\n \"projectHash\":\"h\",\n \"messages\":\n [{}]\n}\n|"}},
		{"a space before the colon", chatHead + "\"messages\" :[{}]}\n", 0, []string{chatHead + "\"messages\" :[{}]}\n|"}},
		{"one after another", chatHead + "\"messages\":[{}]}\n" + chatHead + "\"messages\":[{}]}\n", 0, []string{
			chatHead + `"messages":|`, "[{}|joined", "]}\n|joined,note", chatHead + `"messages":|joined`, "[{}|joined", "]}\n|joined,note"}},
		{"lines behind it", chatHead + "\"messages\":[{}]}\n{}\n", 0, []string{chatHead + `"messages":|`, "[{}|joined", "]}\n|joined,note", "{}\n|joined"}},
		{"other members before", `{"a":{"messages":[{}]},"b":"\"messages\":[{","projectHash":"h","c":[{}],"sessionId":"s","messages":[{}]}`, 0, []string{
			`{"a":{"messages":[{}]},"b":"\"messages\":[{","projectHash":"h","c":[{}],"sessionId":"s","messages":|`, "[{}|joined", "]}|joined,note"}},
		{"cut off in a message", chatHead + `"messages":[{},{"a":`, 0, []string{chatHead + `"messages":|`, "[{}|joined", `,{"a":|unterminated,joined`}},
		{"cut off behind the messages", chatHead + `"messages":[{}],"k`, 0, []string{chatHead + `"messages":|`, "[{}|joined", `],"k|joined,note`}},
		{"a message over the limit", chatHead + `"messages":[{"a":"` + strings.Repeat("x", 60) + `"},{}]}`, 60, []string{
			chatHead + `"messages":|`, `[{"a":"` + strings.Repeat("x", 53) + `|oversize,joined`, `xxxxxxx"}|oversize,joined`, ",{}|joined", "]}|joined,note"}},
		{"a rest over the limit", chatHead + `"messages":[{}],"a":"` + strings.Repeat("x", 60) + `"}`, 60, []string{
			chatHead + `"messages":|`, "[{}|joined", `],"a":"` + strings.Repeat("x", 53) + `|joined,note`, `xxxxxxx"}|joined,note`}},
		{"no rest after all", chatHead + "\"messages\":[{}],\"a\nb\n", 0, []string{chatHead + `"messages":|`, "[{}|joined", "],\"a\n|joined", "b\n|joined"}},

		{"without messages", chatHead + "\"messages\":[]}\n{}\n", 0, []string{chatHead + "\"messages\":[]}\n|", "{}\n|joined"}},
		{"messages of text", chatHead + "\"messages\":[\"a\",{}]}\n", 0, []string{chatHead + "\"messages\":[\"a\",{}]}\n|"}},
		{"messages no array", chatHead + "\"messages\":{\"a\":[{}]}}\n", 0, []string{chatHead + "\"messages\":{\"a\":[{}]}}\n|"}},
		{"another array", chatHead + "\"massages\":[{}]}\n", 0, []string{chatHead + "\"massages\":[{}]}\n|"}},
		{"a request", "{\"model\":\"m\",\"messages\":[{}]}\n", 0, []string{"{\"model\":\"m\",\"messages\":[{}]}\n|"}},
		{"a session without a project", "{\"sessionId\":\"s\",\"messages\":[{}]}\n", 0, []string{"{\"sessionId\":\"s\",\"messages\":[{}]}\n|"}},
		{"names as values", "{\"a\":\"sessionId\",\"b\":\"projectHash\",\"messages\":[{}]}\n", 0, []string{"{\"a\":\"sessionId\",\"b\":\"projectHash\",\"messages\":[{}]}\n|"}},
		{"names behind it", "{\"messages\":[{}],\"sessionId\":\"s\",\"projectHash\":\"h\"}\n", 0, []string{"{\"messages\":[{}],\"sessionId\":\"s\",\"projectHash\":\"h\"}\n|"}},
		{"not the first line", "{}\n" + chatHead + "\"messages\":[{}]}\n", 0, []string{"{}\n|", chatHead + "\"messages\":[{}]}\n|joined"}},
		{"a head that is too long", chatHead + `"a":"` + long + `","messages":[{}]}`, 0, []string{chatHead + `"a":"` + long + `","messages":[{}]}|`}},
		{"a head over the limit", chatHead + `"messages":[{}]}`, 40, []string{chatHead + `"mess|oversize`, `ages":[{}]}|unterminated,oversize,joined`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			frames, err := framingtest.Cut(ndjson.NewFramer(tc.limit), []byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range frames {
				got = append(got, string(f.Raw)+"|"+f.Flags.String())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
			if err := framingtest.Check(func() ingest.Framer { return ndjson.NewFramer(tc.limit) }, bytes.SplitAfter([]byte(tc.text), nil)...); err != nil {
				t.Errorf("byte by byte: %v", err)
			}
		})
	}
}

// TestChatIsNotHeld: the messages of a conversation's file are frames as they come.
func TestChatIsNotHeld(t *testing.T) {
	const size, reads = 64 << 10, 512
	message := []byte(`{"id":"m","type":"user","content":"0123456789 0123456789"},`)
	read := bytes.Repeat(message, size/len(message))
	c := ndjson.NewFramer(0)
	frames, bytesOut := 0, 0
	emit := func(f *schema.Frame) error { frames++; bytesOut += len(f.Raw); return nil }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := c.Split([]byte(chatHead+`"messages":[`), 1, emit); err != nil {
		t.Fatal(err)
	}
	for range reads {
		if err := c.Split(read, 1, emit); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	// The last comma belongs to the element that did not come.
	if want := 1 + reads*(size/len(message)); frames != want || bytesOut != len(chatHead)+len(`"messages":[`)+reads*len(read)-1 {
		t.Errorf("%d frames of %d bytes, want %d", frames, bytesOut, want)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes allocated for a file of %d", used, reads*len(read))
	}
}
