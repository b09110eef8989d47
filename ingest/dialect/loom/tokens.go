package loom

import (
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counts are a usage as Loom states it. prompt includes what came from a
// cache, completion includes reasoning.
type counts struct {
	prompt, completion, total uint64
	cached, reasoning         uint64
}

// countsOf reads a usage event, or a usage object of a run_end.
func countsOf(o *object) counts {
	return counts{
		prompt: count(o.member[fPrompt]), completion: count(o.member[fCompletion]), total: count(o.member[fTotal]),
		cached:    count(dialect.RawMember(o.member[fPromptDetails], "cached_tokens")),
		reasoning: count(dialect.RawMember(o.member[fCompletionDetails], "reasoning_tokens")),
	}
}

func count(v []byte) uint64 {
	n, _ := dialect.RawUint(v)
	return n
}

// tokens puts the counts into disjoint buckets.
func (c counts) tokens() schema.Tokens {
	return schema.Tokens{
		Input: c.prompt - min(c.cached, c.prompt), CacheRead: c.cached,
		Output: c.completion - min(c.reasoning, c.completion), Reasoning: c.reasoning,
	}
}

// sums are the counts of a run's usage events.
type sums struct {
	calls uint64
	counts
}

func (s *sums) add(c counts) {
	s.calls++
	s.prompt += c.prompt
	s.completion += c.completion
	s.total += c.total
}

// difference is what a run_end's total says beyond the sum of the events, as a
// JSON object, or "" where they agree.
func (s *sums) difference(stated counts) string {
	if s.prompt == stated.prompt && s.completion == stated.completion && s.total == stated.total {
		return ""
	}
	text := `{"prompt_tokens":` + minus(stated.prompt, s.prompt)
	text += `,"completion_tokens":` + minus(stated.completion, s.completion)
	return text + `,"total_tokens":` + minus(stated.total, s.total) + `}`
}

func minus(a, b uint64) string {
	if a < b {
		return "-" + strconv.FormatUint(b-a, 10)
	}
	return strconv.FormatUint(a-b, 10)
}
