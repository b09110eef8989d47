package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
)

// Model is a model that calls use.
type Model struct{ Provider, Name string }

// Models are the models of the data set, the most used first. The price table has all of them.
var Models = []Model{
	{"anthropic", "claude-sonnet-4-5"}, {"openai", "gpt-5"}, {"openai", "gpt-5-mini"}, {"google", "gemini-2.5-flash"},
	{"anthropic", "claude-haiku-4-5"}, {"google", "gemini-2.5-pro"}, {"anthropic", "claude-opus-4-5"}, {"openai", "gpt-4.1"},
	{"openai", "gpt-4o-mini"}, {"mistral", "mistral-large-latest"}, {"deepseek", "deepseek-chat"}, {"openai", "o3"},
}

// Customers is the number of values of the tag customer.
const Customers = 200

var (
	Teams = []string{"checkout", "search", "support", "billing", "platform", "growth", "data", "mobile",
		"risk", "logistics", "legal", "research"}
	Environments = []string{"production", "staging", "development"}
	agents       = []string{"react", "planner", "coder", "reviewer", "researcher", "support"}
	tools        = []string{"bash", "read", "grep", "edit", "web_fetch", "web_search", "sql", "write", "list",
		"browser", "ticket", "calendar"}
)

// Tags are the tags of a session, by name.
type Tags struct{ Customer, Team, Environment string }

// Map returns the tags in the form of stream options.
func (t Tags) Map() map[string]string {
	return map[string]string{"customer": t.Customer, "team": t.Team, "environment": t.Environment}
}

// SessionID returns the id of a session.
func SessionID(n int) string { return fmt.Sprintf("s-%07d", n) }

// session is the plan of a session, which is created before its frames are written.
type session struct {
	n      int
	id     string
	at     int64 // time of its first frame, ns
	stream string
	tags   Tags
	random *rand.Rand
	turns  []turn
	// again is the id of a second stream that recorded the whole session, later by secondDelay; ""
	// for most sessions.
	again string
}

// secondDelay is by how much the frames of a second recording arrived later.
const secondDelay = int64(time.Millisecond)

// turn is a user's message and the run that answers it.
type turn struct {
	pause  time.Duration // pause before the message
	agent  string
	model  Model
	calls  int
	chunks int // of each call, on average
}

// One session in LongEvery has 10,000 frames or more; the first of these is LongSession.
const (
	LongEvery   = 5000
	LongSession = LongEvery / 2
)

// Frequencies of unusual sessions.
const (
	stepsEvery   = 25_000 // one session has 2,000 steps: calls and tools
	twiceEvery   = 500    // one session is recorded by two taps
	resumedEvery = 100    // one session is resumed hours later
)

// plan determines the contents of a session.
func (o Options) plan(n int) *session {
	r := o.random(n)
	spread := o.step()
	at := Begin.Add(time.Duration(n)*spread + time.Duration(r.Int64N(int64(spread)))).UnixNano()
	s := &session{n: n, id: SessionID(n), at: at, stream: streamID(at, r), random: r}
	s.tags = Tags{
		Customer: fmt.Sprintf("customer-%03d",
			int(Customers*skewed(r))), Team: Teams[int(float64(len(Teams))*skewed(r))],
		Environment: Environments[int(float64(len(Environments))*skewed(r))],
	}
	calls, chunks := 1+geometric(r, float64(o.Sessions)/float64(o.Calls)), o.chunks()
	pause := time.Duration(0)
	switch {
	case n%stepsEvery == stepsEvery/2:
		calls, chunks = 1000, 3
	case n%LongEvery == LongSession:
		calls, chunks = 60, 160
	case n%resumedEvery == resumedEvery/2:
		calls, pause = calls+1, time.Hour+time.Duration(r.Int64N(int64(20*time.Hour)))
	}
	if n%twiceEvery == twiceEvery/3 {
		s.again = streamID(at+secondDelay, r)
	}
	model, agent := Models[int(float64(len(Models))*skewed(r))], agents[r.IntN(len(agents))]
	for calls > 0 {
		t := turn{agent: agent, model: model, calls: min(1+r.IntN(4), calls), chunks: chunks}
		if pause > 0 && t.calls == calls && len(s.turns) == 0 {
			t.calls--
		}
		if calls > 500 {
			t.calls = calls
		}
		if len(s.turns) > 0 {
			t.pause = max(pause, time.Duration(r.Int64N(int64(time.Minute))))
			pause = 0
			if r.IntN(10) == 0 {
				model = Models[r.IntN(len(Models))]
				t.model = model
			}
		}
		s.turns = append(s.turns, t)
		calls -= t.calls
	}
	return s
}

// skewed returns a random number from 0 to 1; low numbers are more likely.
func skewed(r *rand.Rand) float64 {
	u := r.Float64()
	return u * u
}

// geometric returns how often an event of probability 1-p occurs in succession.
func geometric(r *rand.Rand, p float64) int {
	if p >= 1 {
		return 0
	}
	return min(int(math.Log(1-r.Float64())/math.Log(1-p)), 400)
}

// streamID returns the id of a stream that began at a time.
func streamID(at int64, r *rand.Rand) string {
	ms := uint64(at / 1e6)
	var id uuid.UUID
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	for i := 6; i < 16; i++ {
		id[i] = byte(r.Uint32())
	}
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return id.String()
}
