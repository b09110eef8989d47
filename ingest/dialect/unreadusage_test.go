package dialect

import (
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/schema"
)

// unknowing is a decoder that knows no type, and records usage in the frames that the test names.
type unknowing struct{ records, unread bool }

func (d unknowing) Decode(in *Input, b *Emitter) {
	in.Flags |= schema.FlagUnknownType
	if d.unread {
		in.Flags = in.Flags&^schema.FlagUnknownType | schema.FlagUnreadUsage
	}
	if d.records {
		b.Use("u", "u", schema.UsageAdd, schema.Tokens{Input: 1}, in.Frame)
	}
}

func (unknowing) End(int64, *Emitter) {}

func TestUnreadUsage(t *testing.T) {
	for _, test := range []struct {
		text string
		d    unknowing
		want bool
	}{
		{`{"object":"response.new","usage":{"input_tokens":7}}`, unknowing{}, true},
		{`{"object":"response.new","usage":{"input_tokens":7}}`, unknowing{records: true}, false},
		{`{"usage":{"tokensIn":7}}`, unknowing{unread: true}, true},
		{`{"usage":{"credits":7}}`, unknowing{unread: true}, false},
		{`{"usageMetadata":{"totalTokenCount":7}}`, unknowing{}, true},
		{`{"type":"x","payload":{"info":{"token_usage":{"details":{"tokens":7}}}}}`, unknowing{}, true},
		{`{"usage":{"input_tokens":0,"output_tokens":null}}`, unknowing{}, false},
		{`{"usage":{"input_tokens":"7"}}`, unknowing{}, false},
		{`{"usage":"see input_tokens"}`, unknowing{}, false},
		{`{"usage_note":{"tokens":7}}`, unknowing{}, false},
		{`{"message":"usage","tokens":7}`, unknowing{}, false},
		{`[{"usage":{"input_tokens":7}}]`, unknowing{}, false},
	} {
		in := &Input{Frame: &schema.Frame{}, Data: []byte(test.text), JSON: fastjson.MustParse(test.text)}
		NewEmitter("s").Read(test.d, in)
		if got := in.Flags.Has(schema.FlagUnreadUsage); got != test.want {
			t.Errorf("%s, %+v: marked %t", test.text, test.d, got)
		}
	}
}
