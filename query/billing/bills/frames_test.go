package bills

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query/billing/charges"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// Frames that are decoded anew state the same usage as is stored, also of running totals and of
// records that two streams have; what they state otherwise is listed with its frame.
func TestFrames(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	total := func(id, when string, tokens schema.Tokens) schema.Usage {
		u := call(id, when, "anthropic", opus, 0, 0)
		u.Mode, u.Scope, u.Tokens = schema.UsageRunning, "thread", tokens
		return u
	}
	first := w.session("s", "",
		call("twice", "2026-03-05T00:00:01Z", "anthropic", opus, 10, 1), // its first part
		total("t1", "2026-03-05T00:00:02Z", schema.Tokens{Input: 100, CacheRead: 10, Output: 5}),
		total("t2", "2026-03-05T00:00:03Z", schema.Tokens{Input: 150, CacheRead: 10, Output: 9}),
		total("t3", "2026-03-05T00:00:04Z", schema.Tokens{Input: 7, Output: 1})) // began anew
	second := w.session("s", "", call("twice", "2026-03-05T00:00:05Z", "anthropic", opus, 20, 2))
	w.session("gone", "", call("a", "2026-03-06T00:00:00Z", "anthropic", opus, 1, 0))
	w.now = at("2026-04-02T00:00:00Z")
	b := w.close(TenantID, "2026-03")

	decode := func(change func(*schema.Usage)) Decoder {
		return func(_ context.Context, _, session string) ([]Decoded, error) {
			if session != "s" {
				return nil, errors.New("it is not stored")
			}
			var list []Decoded
			for _, r := range []querytest.Recording{first, second} {
				for i, u := range r.Usages {
					u.Version = uint64(i + 1)
					change(&u)
					list = append(list, Decoded{querytest.StreamID(r.Stream), u})
				}
			}
			return list, nil
		}
	}
	w.store.WithDecoder(decode(func(*schema.Usage) {}))
	if v := w.verify(b.Number); !v.Equal || v.Frames.Sessions != 1 || v.Frames.Of != 2 || len(v.Frames.Failed) != 1 || v.Frames.Failed[0].SessionID != "gone" {
		t.Errorf("the same frames: %+v", v)
	}
	w.store.WithDecoder(decode(func(u *schema.Usage) {
		if u.ID == "t2" {
			u.Tokens.Input, u.Model = 151, "other"
		}
	}))
	v := w.verify(b.Number)
	if v.Equal || len(v.Frames.Differences) != 2 || v.Frames.Differences[0].Field != "model" || v.Frames.Differences[0].Decoded != "other" ||
		v.Frames.Differences[1].Field != "input" || v.Frames.Differences[1].Stored != "50" || v.Frames.Differences[1].Decoded != "51" ||
		v.Frames.Differences[1].Position == "" {
		t.Errorf("other frames: %+v", v.Frames)
	}

	// Frames that have expired are neither compared nor a difference.
	w.store.WithDecoder(func(_ context.Context, _, session string) ([]Decoded, error) {
		if session == "s" {
			return nil, &ExpiredError{Session: session, At: at("2026-04-01T12:00:00Z")}
		}
		return nil, errors.New("it is not stored")
	})
	v = w.verify(b.Number)
	if !v.Equal || len(v.Differences)+len(v.Frames.Differences) != 0 || v.Frames.Sessions != 0 || v.Frames.ExpiredSessions != 1 || v.Frames.ExpiredCharges != 4 || len(v.Frames.Failed) != 1 {
		t.Errorf("expired frames: %+v", v)
	}
	seen := map[string]bool{}
	for _, e := range v.Frames.Expired {
		seen[e.ChargeID] = e.SessionID == "s" && e.ExpiredAt.Equal(at("2026-04-01T12:00:00Z"))
	}
	for _, id := range []string{"twice", "t1", "t2", "t3"} {
		if !seen[charges.ID(querytest.Tenant, "s", id)] {
			t.Errorf("the charge of %s is not among those with expired frames: %+v", id, v.Frames.Expired)
		}
	}

	parts := call("parts", "2026-03-05T00:00:06Z", "google", "gemini-2.5-flash", 1000, 0)
	parts.Parts.Input.Image, parts.Parts.Input.Video, parts.Parts.Input.Audio = 10, 20, 30
	parts.Tokens.CacheRead, parts.Parts.CacheRead.Image = 5, 5
	third := w.session("parts", "", parts)
	w.now = at("2026-05-02T00:00:00Z")
	decodeParts := func(change func(*schema.TokenParts)) Decoder {
		return func(_ context.Context, _, session string) ([]Decoded, error) {
			if session != "parts" {
				return nil, errors.New("it is not stored")
			}
			u := parts
			u.Version = 1
			change(&u.Parts)
			return []Decoded{{querytest.StreamID(third.Stream), u}}, nil
		}
	}
	w.store.WithDecoder(decodeParts(func(*schema.TokenParts) {}))
	april := w.close(TenantID, "2026-04") // corrects March by the late session
	if v := w.verify(april.Number); len(v.Frames.Differences) != 0 || v.Frames.Sessions != 1 {
		t.Errorf("the same parts: %+v", v.Frames)
	}
	// What of the tokens is images and video is compared, too.
	w.store.WithDecoder(decodeParts(func(p *schema.TokenParts) { p.Input.Image, p.Input.Video, p.CacheRead.Image = 11, 0, 4 }))
	var fields []string
	for _, d := range w.verify(april.Number).Frames.Differences {
		fields = append(fields, d.Field+" "+d.Stored+" "+d.Decoded)
	}
	if got := strings.Join(fields, ", "); got != "input_image 10 11, input_video 20 0, cache_read_image 5 4" {
		t.Errorf("other parts: %s", got)
	}
}
