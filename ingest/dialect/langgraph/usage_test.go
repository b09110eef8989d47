package langgraph

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// counted is one AI message and its usage.
type counted struct {
	id                             string
	input, read, write, out, think uint64
}

func (c counted) usage(input, out uint64) string {
	return fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d,"input_token_details":{"cache_read":%d,"cache_creation":%d},"output_token_details":{"reasoning":%d}}`,
		input, out, input+out, min(c.read, input), min(c.write, input), min(c.think, out))
}

// modes are the modes in which a run may send a message.
var modes = map[string]func(c counted) []string{
	"messages-tuple": func(c counted) []string {
		chunk := `event: messages` + "\n" + `data: [{"content":"x","type":"AIMessageChunk","id":"run--%s","usage_metadata":%s},{"langgraph_node":"a"}]` + "\n\n"
		return []string{
			fmt.Sprintf(chunk, c.id, c.usage(c.input, 0)), fmt.Sprintf(chunk, c.id, "null"), fmt.Sprintf(chunk, c.id, c.usage(0, c.out)),
		}
	},
	"messages": func(c counted) []string {
		partial := `event: messages/partial` + "\n" + `data: [{"content":"%s","type":"ai","id":"run--%s","usage_metadata":%s}]` + "\n\n"
		return []string{
			fmt.Sprintf(partial, "", c.id, "null"), fmt.Sprintf(partial, "x", c.id, c.usage(c.input, 1)), fmt.Sprintf(partial, "xxx", c.id, c.usage(c.input, c.out)),
			strings.Replace(fmt.Sprintf(partial, "xxx", c.id, c.usage(c.input, c.out)), "partial", "complete", 1),
		}
	},
	"updates": func(c counted) []string {
		return []string{fmt.Sprintf("event: updates\ndata: {\"a\":{\"messages\":[{\"content\":\"xxx\",\"type\":\"ai\",\"id\":\"run--%s\",\"usage_metadata\":%s}]}}\n\n", c.id, c.usage(c.input, c.out))}
	},
	"values": func(c counted) []string {
		values := fmt.Sprintf("event: values\ndata: {\"messages\":[{\"content\":\"q\",\"type\":\"human\",\"id\":\"h\"},{\"content\":\"xxx\",\"type\":\"ai\",\"id\":\"run--%s\",\"usage_metadata\":%s}]}\n\n", c.id, c.usage(c.input, c.out))
		return []string{values, values}
	},
}

// Each mode alone and all modes together count the same: one usage for each message, the sum of
// its chunks or the last of its snapshots.
func TestEveryModeCountsOnce(t *testing.T) {
	messages := []counted{{"m1", 100, 60, 30, 20, 5}, {"m2", 7, 0, 0, 3, 0}}
	var want schema.Tokens
	for _, c := range messages {
		want.Input += c.input - c.read - c.write
		want.CacheRead += c.read
		want.CacheWrite5m += c.write
		want.Output += c.out - c.think
		want.Reasoning += c.think
	}
	begin := []string{
		"event: metadata\ndata: {\"run_id\":\"1ef-x\",\"attempt\":1}\n\n",
		"event: values\ndata: {\"messages\":[{\"content\":\"q\",\"type\":\"human\",\"id\":\"h\"}]}\n\n",
	}
	check := func(t *testing.T, names ...string) {
		texts := append([]string(nil), begin...)
		for _, c := range messages {
			for _, name := range names {
				texts = append(texts, modes[name](c)...)
			}
		}
		frames := framesOf(append(texts, "event: end\ndata: null\n\n")...)
		o := dialecttest.CutAnywhere(t, Dialect, frames, frames[len(frames)-1].At)
		var got schema.Tokens
		for _, u := range o.Facts.Usages {
			got.Input += u.Tokens.Input
			got.CacheRead += u.Tokens.CacheRead
			got.CacheWrite5m += u.Tokens.CacheWrite5m
			got.Output += u.Tokens.Output
			got.Reasoning += u.Tokens.Reasoning
			if u.Mode != schema.UsageAdd || u.Total != u.Tokens.Sum() {
				t.Errorf("usage %+v", u)
			}
		}
		if got != want || len(o.Facts.Usages) != len(messages) {
			t.Errorf("%d usages, %+v; want %d, %+v", len(o.Facts.Usages), got, len(messages), want)
		}
		for _, m := range o.Facts.Messages {
			if m.Kind == schema.MessageAssistant && m.Text != "xxx" {
				t.Errorf("text %q", m.Text)
			}
		}
	}
	for name := range modes {
		t.Run(name, func(t *testing.T) { check(t, name) })
	}
	t.Run("together", func(t *testing.T) { check(t, "messages-tuple", "messages", "updates", "values") })
	t.Run("the other way round", func(t *testing.T) { check(t, "messages", "messages-tuple", "values", "updates") })
}

// The kinds of cache writes are separate where the provider states them.
func TestCacheKinds(t *testing.T) {
	got, total, ok := counting.Read([]byte(`{"input_tokens":100,"output_tokens":1,"total_tokens":101,"input_token_details":{"cache_read":10,"cache_creation":0,"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":30}}`))
	want := schema.Tokens{Input: 40, CacheRead: 10, CacheWrite5m: 20, CacheWrite1h: 30, Output: 1}
	if got != want || total != 101 || !ok {
		t.Errorf("%+v, %d, %t; want %+v", got, total, ok, want)
	}
}
