package assert

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"tapedeck/internal/apiclient"
	"tapedeck/query/pricing/prices"
	"tapedeck/replay/replaytest"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// at returns a time of the tapes of tests, ns.
func at(offset time.Duration) int64 { return replaytest.Start + int64(offset) }

func span(kind schema.SpanKind, id, name string, from, to time.Duration, status schema.Status) schema.Span {
	return schema.Span{Fact: schema.Fact{ID: id, Run: "run", SeenAt: at(from), Version: 1}, Kind: kind, Parent: "run", Name: name,
		Status: status, Started: at(from), Ended: at(to)}
}

func message(kind schema.MessageKind, of, text string, chunks ...time.Duration) schema.Message {
	m := schema.Message{Fact: schema.Fact{ID: string(kind) + of, Run: "run", SeenAt: at(chunks[0]), Version: 1}, Kind: kind, Span: of,
		Text: text, Complete: true, Started: at(chunks[0]), Ended: at(chunks[len(chunks)-1])}
	for _, c := range chunks {
		m.ChunkAt, m.ChunkEnd = append(m.ChunkAt, at(c)), append(m.ChunkEnd, uint32(len(text)))
	}
	return m
}

func usage(id, of, model string, when time.Duration, t schema.Tokens) schema.Usage {
	return schema.Usage{Fact: schema.Fact{ID: id, SeenAt: at(when), Version: 1}, Scope: id, Mode: schema.UsageAdd, At: at(when), Span: of, Model: model,
		Provider: "openai", Tokens: t}
}

const (
	ms  = time.Millisecond
	sec = time.Second
)

// sample returns a session of 10 s with a silence of 4 s, two calls of a model, two of the tool bash, of
// which the second fails, and one of read.
func sample() block.Facts {
	run := span(schema.SpanRun, "run", "main", 0, 10*sec, schema.StatusOK)
	run.Parent = ""
	first := span(schema.SpanLLM, "l1", "gpt-5", 1*sec, 2*sec, schema.StatusOK)
	first.FirstToken = at(1300 * ms)
	second := span(schema.SpanLLM, "l2", "gpt-5", 5*sec, 6*sec, schema.StatusOK)
	second.FirstToken = at(5500 * ms)
	failed := span(schema.SpanTool, "b2", "bash", 7*sec, 8*sec, schema.StatusError)
	failed.Error = "exit status 1"
	return block.Facts{
		Spans: []schema.Span{run, first, second, span(schema.SpanTool, "b1", "bash", 2*sec, 3*sec, schema.StatusOK),
			span(schema.SpanTool, "r1", "read", 4*sec, 4500*ms, schema.StatusOK), failed},
		Messages: []schema.Message{
			message(schema.MessageUser, "run", "Where is the log?", 0),
			message(schema.MessageAssistant, "l1", "I look for it.", 1300*ms, 1400*ms, 1900*ms),
			message(schema.MessageAssistant, "l2", "It is in /var/log of version 4.8.1.", 5500*ms),
			message(schema.MessageArguments, "b1", `{"command":"ls","limits":{"lines":[10,20]}}`, 1950*ms),
			message(schema.MessageArguments, "b2", `{"command":"rm -r x"}`, 5900*ms),
			message(schema.MessageResult, "r1", "secret-1", 4500*ms),
		},
		Usages: []schema.Usage{usage("u1", "l1", "gpt-5", 2*sec, schema.Tokens{Input: 1000, Output: 100}),
			usage("u2", "l2", "gpt-5", 6*sec, schema.Tokens{Input: 2000, Output: 50})},
	}
}

// tape writes a tape file with a session of frames at 0, 1, 3, 7 and 10 s.
func tape(t *testing.T, name, end string, facts *block.Facts) string {
	t.Helper()
	memory := &replaytest.Tape{}
	s := memory.Stream(schema.NDJSON, "loom")
	for _, offset := range []time.Duration{0, 1 * sec, 3 * sec, 7 * sec, 10 * sec} {
		s.Add(offset, "{}\n")
	}
	states := slices.Clone(memory.Streams())
	if states[0].EndReason = end; end == "" {
		states[0].Ended = 0
	}
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := tapefile.NewWriter(f)
	if err == nil {
		err = w.Begin("s", states)
	}
	for i := range memory.Frames() {
		if err == nil {
			err = w.Add(&memory.Frames()[i])
		}
	}
	if err == nil && facts != nil {
		err = w.Facts([]block.Block{{State: states[0], Facts: *facts}})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func source() *Source {
	return &Source{Prices: prices.Standard(), Tenant: "default",
		Server: func() (*apiclient.Client, error) { return apiclient.New("http://127.0.0.1:1", "") }}
}

// run checks a file of conditions, and returns the assertions one a line.
func run(t *testing.T, path, conditions string) (*Result, string) {
	t.Helper()
	file := filepath.Join(filepath.Dir(path), "conditions.yaml")
	if err := os.WriteFile(file, []byte(conditions), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := ReadFile(file)
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := source().Run(t.Context(), c, path, "")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range r.Assertions {
		word := "FAIL"
		if a.Passed {
			word = "pass"
		}
		line := fmt.Sprintf("%s %s: %s: %s", word, a.Name, a.Expected, a.Actual)
		if a.At != nil {
			line += " @ " + a.At.Text()
		}
		lines = append(lines, line)
	}
	return r, strings.Join(lines, "\n")
}

// Expectations are computed by hand from sample: gpt-5 costs 1.25 dollars a million of input and 10 a million
// of output, so the calls cost 0.00125 + 0.001 and 0.0025 + 0.0005.
func TestConditions(t *testing.T) {
	facts := sample()
	path := tape(t, "sample.tape", "eof", &facts)
	for conditions, want := range map[string]string{
		"fails: false":                                                      "pass fails: does not fail: status ok",
		"fails: true":                                                       "FAIL fails: fails: status ok @ +10.00s",
		"duration: {min: 10s, max: 10s}":                                    "pass duration: exactly 10.00s: 10.00s",
		"duration: {max: 9s}":                                               "FAIL duration: at most 9.00s: 10.00s @ +10.00s",
		"first_token: {max: 500ms}":                                         "pass first_token: at most 500.0ms: 500.0ms",
		"first_token: {max: 400ms}":                                         "FAIL first_token: at most 400.0ms: 500.0ms @ +5.00s llm gpt-5 l2",
		"first_token: {min: 400ms}":                                         "FAIL first_token: at least 400.0ms: 300.0ms @ +1.00s llm gpt-5 l1",
		"longest_gap: {max: 500ms}":                                         "pass longest_gap: at most 500.0ms: 500.0ms",
		"longest_gap: {max: 499ms}":                                         "FAIL longest_gap: at most 499.0ms: 500.0ms @ +1.40s llm gpt-5 l1",
		"silence: {max: 4s}":                                                "pass silence: at most 4.00s: 4.00s",
		"silence: {max: 3s}":                                                "FAIL silence: at most 3.00s: 4.00s @ +3.00s run main run",
		"tokens: {min: 3150, max: 3150}":                                    "pass tokens: exactly 3,150: 3,150",
		"tokens: {max: 3149}":                                               "FAIL tokens: at most 3,149: 3,150 @ +6.00s llm gpt-5 l2",
		"tokens: {max: 1099}":                                               "FAIL tokens: at most 1,099: 3,150 @ +2.00s llm gpt-5 l1",
		"cost: {min: 0.00525, max: 0.00525}":                                "pass cost: 0.00525 to 0.00525: 0.00525 USD",
		"cost: {max: 0.00524}":                                              "FAIL cost: at most 0.00524: 0.00525 USD @ +6.00s llm gpt-5 l2",
		"cost: {max: 1, currency: EUR}":                                     "FAIL cost: at most 1 EUR: 0.00525 USD: the prices have another currency",
		"tool_errors: 1":                                                    "pass tool_errors: exactly 1: 1",
		"tool_errors: {max: 0}":                                             "FAIL tool_errors: at most 0: 1: exit status 1 @ +7.00s tool bash b2",
		"calls: {bash: 2, read: {min: 1}, rm: 0}":                           "pass calls.bash: exactly 2: 2\npass calls.read: at least 1: 1\npass calls.rm: exactly 0: 0",
		"calls: {bash: 1}":                                                  "FAIL calls.bash: exactly 1: 2 @ +7.00s tool bash b2",
		"calls: {write: {min: 1}}":                                          "FAIL calls.write: at least 1: 0",
		"order: [bash, bash]":                                               "pass order: bash, bash, with others between them: in this order",
		"order: [read, read]":                                               "FAIL order: read, read, with others between them: 1 of 2 found, and no call of read after that of read @ +4.00s tool read r1",
		"order: [rm]":                                                       "FAIL order: rm, with others between them: no call of rm",
		"exact_order: [bash, read, bash]":                                   "pass exact_order: bash, read, bash: exactly these",
		"exact_order: [bash, bash]":                                         "FAIL exact_order: bash, bash: call 2 is of read, not of bash @ +4.00s tool read r1",
		"exact_order: [bash, read]":                                         "FAIL exact_order: bash, read: call 3 is one of bash, after the last that is expected @ +7.00s tool bash b2",
		"exact_order: [bash, read, bash, rm]":                               "FAIL exact_order: bash, read, bash, rm: 3 calls, then no call of rm @ +10.00s",
		"texts: [{contains: secret-1}]":                                     `pass texts[0]: a message contains "secret-1": a message of kind tool_result has it`,
		"texts: [{contains: secret-1, of: assistant}]":                      `FAIL texts[0]: a message of the assistant contains "secret-1": no message has it`,
		`texts: [{matches: 'version \d+\.\d+', of: assistant}]`:             `pass texts[0]: a message of the assistant matches "version \\d+\\.\\d+": a message of kind assistant has it`,
		"texts: [{contains: secret, absent: true}]":                         `FAIL texts[0]: no message contains "secret": a message of kind tool_result has it @ +4.50s tool read r1`,
		"texts: [{contains: nowhere, absent: true}]":                        `pass texts[0]: no message contains "nowhere": no message has it`,
		"arguments: [{tool: bash, path: command, equals: ls}]":              `pass arguments[0]: a call of bash: command is "ls": "ls"`,
		"arguments: [{tool: bash, path: 'limits.lines[1]', equals: 20}]":    "pass arguments[0]: a call of bash: limits.lines[1] is 20: 20",
		"arguments: [{tool: bash, path: 'limits.lines', equals: [10, 20]}]": "pass arguments[0]: a call of bash: limits.lines is [10,20]: [10,20]",
		"arguments: [{tool: bash, path: command, contains: ls, call: 2}]":   `FAIL arguments[0]: call 2 of bash: command contains "ls": "rm -r x" @ +7.00s tool bash b2`,
		"arguments: [{tool: bash, path: command, matches: '^(ls|cat)', every: true}]": `FAIL arguments[0]: every call of bash: command matches "^(ls|cat)": "rm -r x" @ +7.00s tool bash b2`,
		"arguments: [{tool: bash, path: command, every: true}]":                       `pass arguments[0]: every call of bash: command exists: "rm -r x"`,
		"arguments: [{tool: read, path: command}]":                                    "FAIL arguments[0]: a call of read: command exists: no value at command @ +4.00s tool read r1",
		"arguments: [{tool: bash, path: command, call: 3}]":                           "FAIL arguments[0]: call 3 of bash: command exists: 2 calls of bash @ +10.00s",
		"arguments: [{tool: rm, path: command}]":                                      "FAIL arguments[0]: a call of rm: command exists: no call of rm",
	} {
		if _, got := run(t, path, conditions); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", conditions, got, want)
		}
	}
}

// A figure that the recording does not have fails its condition. It does not count as 0.
func TestUnknownFigures(t *testing.T) {
	facts := sample()
	facts.Usages[1].Model = "a-model-without-a-price"
	unpriced := tape(t, "unpriced.tape", "eof", &facts)
	want := "FAIL cost: at most 1: unknown: 1 of 2 usage records without a price (a-model-without-a-price, unknown_model) @ +6.00s llm gpt-5 l2"
	if _, got := run(t, unpriced, "cost: {max: 1}"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	bare := block.Facts{Messages: []schema.Message{message(schema.MessageUser, "", "Hello", 0)}}
	want = strings.Join([]string{
		"FAIL first_token: at most 1.00s: no call of a model has a first token at a measured time",
		"FAIL longest_gap: at most 1.00s: no call of a model came in more than one chunk",
		"FAIL tokens: at most 5: unknown: the recording states no usage",
		"FAIL cost: at most 1: unknown: the recording states no usage",
	}, "\n")
	if _, got := run(t, tape(t, "bare.tape", "eof", &bare), "tokens: {max: 5}\ncost: {max: 1}\nfirst_token: {max: 1s}\nlongest_gap: {max: 1s}"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestSameSteps(t *testing.T) {
	reference, other, reworded := sample(), sample(), sample()
	other.Messages[4].Text = `{"command":"rm -r y"}`
	reworded.Messages[2].Text = "It is somewhere else."
	as := tape(t, "reference.tape", "eof", &reference)
	for _, tc := range []struct {
		facts      block.Facts
		conditions string
		want       string
	}{
		{sample(), "", "pass same_steps: the steps of " + as + " (A): The same in all 6 steps."},
		{other, "", "FAIL same_steps: the steps of " + as + " (A): The same for 5 steps; at +7.0 s both called bash with different arguments. @ +7.00s tool bash b2"},
		{other, ", within: 5", "pass same_steps: the first 5 steps of " + as + " (A): The same for 5 steps; at +7.0 s both called bash with different arguments."},
		{reworded, "", "pass same_steps: the steps of " + as + " (A): The same for 4 steps; at +5.0 s the answer differs."},
		{reworded, ", words: true", "FAIL same_steps: the steps of " + as + " (A): The same for 4 steps; at +5.0 s the answer differs. @ +5.00s llm gpt-5 l2"},
	} {
		if _, got := run(t, tape(t, "b.tape", "eof", &tc.facts), "same_steps: {as: "+as+tc.conditions+"}"); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.conditions, got, tc.want)
		}
	}
}

// What cannot be checked is an error, and no failed condition.
func TestUncheckable(t *testing.T) {
	facts := sample()
	whole := tape(t, "whole.tape", "eof", &facts)
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var none bytes.Buffer
	w, err := tapefile.NewWriter(&none)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	running := sample()
	running.Spans[0].Status, running.Spans[0].Ended = schema.StatusOpen, 0
	for path, want := range map[string]string{
		write("cut.tape", text[:len(text)/2]):     "the tape file ends early",
		write("none.tape", none.Bytes()):          "holds no session",
		write("empty.tape", nil):                  "not a tape file",
		tape(t, "running.tape", "", &running):     "has no end: it was running when the tape was written",
		tape(t, "unrecognised.tape", "eof", nil):  "no protocol was recognised",
		filepath.Join(t.TempDir(), "absent.tape"): "no such file",
		"a-session": "no tapedeck server answers",
	} {
		_, err := source().Run(t.Context(), &Conditions{Tokens: AtMost[int64](1)}, path, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if _, err := source().Run(t.Context(), &Conditions{Tokens: AtMost[int64](1)}, whole, "other"); err == nil || !strings.Contains(err.Error(), `holds no session "other"`) {
		t.Errorf("another session: %v", err)
	}
	if r, err := source().Run(t.Context(), &Conditions{Duration: AtMost(time.Minute)}, tape(t, "frames.tape", "eof", nil), ""); err != nil || !r.Passed {
		t.Errorf("the duration of a tape without facts: %+v, %v", r, err)
	}
}

// The JUnit file has a test case for each assertion.
func TestJUnit(t *testing.T) {
	facts := sample()
	facts.Spans[5].Error = "bad \x00\x1b & <end>"
	r, _ := run(t, tape(t, "sample.tape", "eof", &facts), "fails: false\ntool_errors: 0")
	r.Recording = "sample.tape"
	var out bytes.Buffer
	if err := WriteJUnit(&out, r); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil || len(got.Suites) != 1 || len(got.Suites[0].Cases) != 2 {
		t.Fatalf("%v\n%s", err, &out)
	}
	s := got.Suites[0]
	if s.Name != "sample.tape" || s.Tests != 2 || s.Failures != 1 || s.Cases[0].Name != "fails" || s.Cases[0].Failure != nil || s.Cases[1].Failure == nil {
		t.Fatalf("%s", &out)
	}
	want := "expected: exactly 0\nactual: 1: bad \\x00\\x1b & <end>\nat: +7.00s tool bash b2\n"
	if f := s.Cases[1].Failure; !strings.HasPrefix(f.Text, want) || f.Message != `expected exactly 0, found 1: bad \x00\x1b & <end>` {
		t.Errorf("failure %q", cmp.Diff(want, f.Text))
	}
}

// Figures of a hostile source do not overflow to a sum that is within the bound.
func TestTokensOverflow(t *testing.T) {
	facts := sample()
	facts.Usages[0].Tokens = schema.Tokens{Input: math.MaxInt64, CacheRead: math.MaxInt64}
	facts.Usages[1].Tokens = schema.Tokens{Input: math.MaxInt64, Output: math.MaxInt64}
	r, text := run(t, tape(t, "big.tape", schema.EndEOF, &facts), "tokens: {max: 100}")
	if r.Passed || !strings.Contains(text, "9,223,372,036,854,775,807") {
		t.Errorf("passed %t: %s", r.Passed, text)
	}
}
