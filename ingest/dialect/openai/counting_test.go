package openai_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/ingest/dialect/openai"
	"tapedeck/schema"
)

// counted is a usage, read with another parser and other rules than the dialects'.
type counted struct {
	Prompt     uint64 `json:"prompt_tokens"`
	Completion uint64 `json:"completion_tokens"`
	Input      uint64 `json:"input_tokens"`
	Output     uint64 `json:"output_tokens"`
	Total      uint64 `json:"total_tokens"`
	Hit        uint64 `json:"prompt_cache_hit_tokens"`
	Miss       uint64 `json:"prompt_cache_miss_tokens"`
	Of         struct {
		Reasoning uint64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// message is a chunk or an event.
type message struct {
	Usage *counted `json:"usage"`
	Groq  *struct {
		Usage *counted `json:"usage"`
	} `json:"x_groq"`
	Response *struct {
		ID    string   `json:"id"`
		Usage *counted `json:"usage"`
	} `json:"response"`
}

// messages parses the messages of a stream.
func messages(t *testing.T, frames []schema.Frame) []message {
	t.Helper()
	var list []message
	for i := range frames {
		content, _ := schema.Unframe(&frames[i], nil)
		if content.Empty || string(content.Data) == "[DONE]" {
			continue
		}
		var m message
		if err := json.Unmarshal(content.Data, &m); err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

func play(t *testing.T, d dialect.Dialect, frames []schema.Frame) *dialecttest.Outcome {
	t.Helper()
	o, err := dialecttest.Play(d, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return false, false })
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// only returns the one usage of an outcome.
func only(t *testing.T, o *dialecttest.Outcome) schema.Usage {
	t.Helper()
	if len(o.Facts.Usages) != 1 {
		t.Fatalf("%d usages, want one: %+v", len(o.Facts.Usages), o.Facts.Usages)
	}
	return o.Facts.Usages[0]
}

// OpenAI sends the usage on one chunk after the last, and null on all others.
func TestUsageOnFinalChunkOnly(t *testing.T) {
	frames := capturetest.Cut(t, "openai_chat/openai_chat_stream.sse", "")
	list := messages(t, frames)
	var sent []*counted
	for _, m := range list {
		if m.Usage != nil {
			sent = append(sent, m.Usage)
		}
	}
	if len(sent) != 1 || list[len(list)-1].Usage == nil {
		t.Fatalf("the capture has %d usages", len(sent))
	}
	u := only(t, play(t, openai.Chat, frames))
	if u.Tokens.Input != sent[0].Prompt || u.Tokens.Output != sent[0].Completion || u.Tokens.Sum() != sent[0].Total || u.Total != sent[0].Total {
		t.Errorf("%+v, want %+v", u, sent[0])
	}
	// A stream that is cut off before the usage counts nothing.
	if o := play(t, openai.Chat, frames[:len(frames)-2]); len(o.Facts.Usages) != 0 {
		t.Errorf("without the last chunk: %+v", o.Facts.Usages)
	}
}

// Groq sends the same usage three times in two chunks.
func TestGroqUsageOnce(t *testing.T) {
	frames := dialecttest.Case(t, "testdata/chat/cases/groq.txtar")
	var total uint64
	sent := 0
	for _, m := range messages(t, frames) {
		for _, u := range []*counted{m.Usage, groqs(&m)} {
			if u != nil {
				sent, total = sent+1, u.Prompt+u.Completion
			}
		}
	}
	if sent != 3 {
		t.Fatalf("the case has %d usages", sent)
	}
	if u := only(t, play(t, openai.Chat, frames)); u.Tokens.Sum() != total || u.Total != total || u.Mode != schema.UsageAdd {
		t.Errorf("%+v, want %d tokens", u, total)
	}
	// Without the last chunk Groq's own usage counts.
	if u := only(t, play(t, openai.Chat, frames[:4])); u.Tokens.Sum() != total {
		t.Errorf("%+v, want %d tokens", u, total)
	}
}

func groqs(m *message) *counted {
	if m.Groq == nil {
		return nil
	}
	return m.Groq.Usage
}

func TestDeepSeekCacheBuckets(t *testing.T) {
	frames := capturetest.Cut(t, "openai_chat/deepseek-tool-call.chunks.txt", "ndjson")
	list := messages(t, frames)
	want := list[len(list)-1].Usage
	if want == nil || want.Hit == 0 || want.Miss == 0 {
		t.Fatalf("the capture's last chunk says %+v", want)
	}
	got := only(t, play(t, openai.Chat, frames)).Tokens
	if got != (schema.Tokens{Input: want.Miss, CacheRead: want.Hit, Output: want.Completion - want.Of.Reasoning, Reasoning: want.Of.Reasoning}) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A response in the background is recorded twice: from its start, and resumed. Facts of the two
// streams join by their ids.
func TestResumedBackgroundResponseCountedOnce(t *testing.T) {
	var want *counted
	var id string
	usages, spans, texts := map[string]schema.Usage{}, map[string][]schema.Span{}, map[string]string{}
	for _, name := range []string{"background_part1", "background_resume_starting_after_0"} {
		frames := capturetest.Cut(t, "openai_responses/"+name+".sse", "")
		for _, m := range messages(t, frames) {
			if m.Response != nil {
				id = m.Response.ID
				if m.Response.Usage != nil {
					want = m.Response.Usage
				}
			}
		}
		o := play(t, openai.Responses, frames)
		for _, u := range o.Facts.Usages {
			usages[u.ID] = u
		}
		for _, s := range o.Facts.Spans {
			spans[s.ID] = append(spans[s.ID], s)
		}
		for _, m := range o.Facts.Messages {
			texts[m.ID] = m.Text
		}
	}
	if len(usages) != 1 {
		t.Fatalf("%d usages, want one: %+v", len(usages), usages)
	}
	for _, u := range usages {
		if u.Scope != id || u.Tokens.Sum() != want.Total || u.Tokens.Input != want.Input || u.Tokens.Output != want.Output || u.Mode != schema.UsageAdd {
			t.Errorf("%+v, want %+v of %s", u, want, id)
		}
	}
	if len(texts) != 1 {
		t.Errorf("texts %q, want one", texts)
	}
	if len(spans) != 2 {
		t.Errorf("%d spans, want a run and a call of a model", len(spans))
	}
	for name, views := range spans {
		if len(views) != 2 || views[0].Started == 0 || views[1].Started != 0 {
			t.Errorf("%s: the first stream is to know its start, the second not: %+v", name, views)
		}
	}
}

// Numbers restart with each response of a stream, and only a gap in one response counts as lost.
func TestSequenceRestartsPerResponse(t *testing.T) {
	var frames []schema.Frame
	var second int
	for _, name := range []string{"openai-error.1.chunks.txt", "openai-web-search-tool.1.chunks.txt", "openai-error.1.chunks.txt"} {
		if second == 0 {
			second = len(frames)
		}
		frames = append(frames, capturetest.Cut(t, "openai_responses/"+name, "ndjson")...)
	}
	check := func(frames []schema.Frame, gaps int, lost uint64) {
		t.Helper()
		frames = slices.Clone(frames)
		for i := range frames {
			frames[i].Seq, frames[i].At = uint64(i), dialecttest.Start+int64(i)*1e6
		}
		o := play(t, openai.Responses, frames)
		marked, missing := 0, uint64(0)
		for i := range o.Frames {
			missing += o.Lost[i]
			if o.Frames[i].Flags != 0 {
				marked++
				if !o.Frames[i].Flags.Has(schema.FlagEventGap) {
					t.Errorf("frame %d is marked %s", i, o.Frames[i].Flags)
				}
			}
		}
		if marked != gaps || missing != lost {
			t.Errorf("%d frames marked and %d lost, want %d and %d", marked, missing, gaps, lost)
		}
	}
	check(frames, 0, 0)
	check(slices.Delete(slices.Clone(frames), second+60, second+63), 1, 3)
	check(slices.Delete(slices.Clone(frames), second-1, second+1), 0, 0) // an end and the next start
}

// All facts of a response have ids without the name of the stream, so that another stream with
// the response emits the same facts.
func TestFactsOfAResponseAreGlobal(t *testing.T) {
	o := play(t, openai.Responses, capturetest.Cut(t, "openai_responses/openai-web-search-tool.1.chunks.txt", "ndjson"))
	for _, s := range o.Facts.Spans {
		if strings.Contains(s.ID, dialecttest.StreamID) {
			t.Errorf("the span %s is this stream's alone", s.ID)
		}
	}
	for _, m := range o.Facts.Messages {
		if strings.Contains(m.ID, dialecttest.StreamID) {
			t.Errorf("the message %s is this stream's alone", m.ID)
		}
	}
}
