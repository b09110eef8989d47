package tenants

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
)

// A link to a span shows the facts and figures of the span, and nothing of the rest.
func TestSharesShowTheirSpan(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	admin := r.token(tenantOf(alpha), access.Admin)
	for i, mark := range []string{"oneMark", "twoMark"} {
		if a := r.request(admin, "POST", "/v1/ingest?dialect=anthropic-messages&session=s", "text/event-stream", call(mark)); a.code != http.StatusOK {
			t.Fatalf("record: %d %s", a.code, a.body)
		}
		bounded.Until(t, "the recording can be read", func() bool {
			a := r.request(admin, "GET", "/v1/sessions/s", "", "")
			return a.code == http.StatusOK && strings.Count(a.body, `"end_reason":"eof"`) == i+1
		})
	}
	frames := items(t, r.request(admin, "GET", "/v1/sessions/s/frames?limit=100", "", ""))
	half := len(frames) / 2
	from := frames[half]["captured_at"].(string)
	begin, err := time.Parse(time.RFC3339Nano, from)
	r.must(err)
	if len(frames)%2 != 0 || frames[half]["stream_id"] == frames[half-1]["stream_id"] {
		t.Fatalf("%d frames, of which the second stream does not begin in the middle", len(frames))
	}
	for _, tc := range []struct {
		span, shown, hidden string
		frames              []map[string]any
	}{
		{fmt.Sprintf(`"to":%q`, from), "oneMark", "twoMark", frames[:half]},
		{fmt.Sprintf(`"from":%q`, from), "twoMark", "oneMark", frames[half:]},
	} {
		size := 0.0
		for _, f := range tc.frames {
			size += f["size"].(float64)
		}
		l := r.share(admin, `{"session":"s",`+tc.span+`}`)
		paths := []string{"", "/frames", "/timeline", "/transcript?chunks=1", "/density?slices=4", "/frames/types", "/frames/index?every=100"}
		all := ""
		for _, path := range paths {
			a := r.request(l.text(), "GET", "/v1/sessions/s"+path, "", "")
			if a.code != http.StatusOK {
				t.Fatalf("%s of %s: %d %s", path, tc.shown, a.code, a.body)
			}
			if strings.Contains(a.body, tc.hidden) {
				t.Errorf("%s of the span with the %s call holds: %s", path, tc.shown, clip(a.body[max(0, strings.Index(a.body, tc.hidden)-80):]))
			}
			all += a.body
		}
		if !strings.Contains(all, "model-"+tc.shown) || !strings.Contains(all, "the secret of "+tc.shown) {
			t.Errorf("the span shows nothing of the %s call", tc.shown)
		}
		var d struct {
			Frames, Bytes float64
			Ended         time.Time
			LastAt        time.Time `json:"last_at"`
			Tools         struct{ Calls int }
			Tokens        struct{ Total int }
			Totals        struct {
				Frames, Streams, Runs int
				Tokens                struct{ Total int }
			}
			Streams []struct{ Frames, Bytes float64 }
			End     any
		}
		a := r.request(l.text(), "GET", "/v1/sessions/s", "", "")
		r.must(json.Unmarshal([]byte(a.body), &d))
		if d.Frames != float64(half) || d.Bytes != size || d.Totals.Frames != half || d.Totals.Streams != 1 || len(d.Streams) != 1 || d.Streams[0].Frames != float64(half) || d.Streams[0].Bytes != size {
			t.Errorf("the span of the %s call has %v frames of %v bytes, want %d and %v: %s", tc.shown, d.Frames, d.Bytes, half, size, a.body)
		}
		if d.Tools.Calls != 1 || d.Tokens.Total != 1050 || d.Totals.Tokens.Total != 1050 {
			t.Errorf("the span of the %s call has %d tools and %d tokens, want 1 and 1050: %s", tc.shown, d.Tools.Calls, d.Tokens.Total, a.body)
		}
		if before := tc.shown == "oneMark"; before && (!d.LastAt.Before(begin) || !d.Ended.Before(begin) || d.End != nil) {
			t.Errorf("the span until %s shows that the session went on until %s, %s, %v", from, d.LastAt, d.Ended, d.End)
		}
		var index struct{ Total int }
		r.must(json.Unmarshal([]byte(r.request(l.text(), "GET", "/v1/sessions/s/frames/index?every=100", "", "").body), &index))
		var density struct{ Frames []int }
		r.must(json.Unmarshal([]byte(r.request(l.text(), "GET", "/v1/sessions/s/density?slices=4", "", "").body), &density))
		sum := 0
		for _, n := range density.Frames {
			sum += n
		}
		if index.Total != half || sum != half {
			t.Errorf("the %s call has %d frames in the index and %d in the density, want %d", tc.shown, index.Total, sum, half)
		}
	}
}
