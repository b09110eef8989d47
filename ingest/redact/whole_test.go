package redact

import (
	"fmt"
	"testing"

	"tapedeck/schema"
)

// A secret that is the value of a member that no other frame continues is masked, whether the bytes of
// the frame are searched first or each text is looked at, and also in a frame that fits the layout of
// the frames before it but for its id.
func TestSecretsInWholeMembers(t *testing.T) {
	slow, err := New(Options{Paths: []Path{{"unused", "no.such.path"}}})
	if err != nil {
		t.Fatal(err)
	}
	fast := Default()
	masked := 0
	for _, r := range Rules() {
		for _, member := range []string{"id", "session_id", "tool_call_id", "agent", "type", "model"} {
			for _, value := range []string{example(r.Example, 7), example(r.Near, 7), "run-" + example(r.Example, 7), example(r.Example, 7)[:6]} {
				var got, want []string
				with, without := fast.NewMasker(), slow.NewMasker()
				for i := range 4 {
					id := value
					if i < 3 {
						id = "plain"
					}
					raw := fmt.Sprintf(`{"before":%d,"%s":%q,"content":"text %d"}`, i, member, id, i)
					with.Push(&schema.Frame{Raw: []byte(raw)}, func(f *schema.Frame) { got = append(got, string(f.Raw)) })
					without.Push(&schema.Frame{Raw: []byte(raw)}, func(f *schema.Frame) { want = append(want, string(f.Raw)) })
				}
				with.End(func(f *schema.Frame) { got = append(got, string(f.Raw)) })
				without.End(func(f *schema.Frame) { want = append(want, string(f.Raw)) })
				if got[3] != want[3] {
					t.Errorf("%s in %s: got %s, want %s", r.ID, member, got[3], want[3])
				}
				masked += len(without.Counts())
			}
		}
	}
	if masked < 6*len(Rules()) {
		t.Errorf("%d secrets in the members of %d rules", masked, len(Rules()))
	}
}
