package sessionframes

import (
	"context"
	"strings"
	"testing"

	"tapedeck/schema"
)

// A view shows the frames of its span, with the contents and the texts of the envelope masked. What it does not show
// need not be read for it.
func TestViewed(t *testing.T) {
	rows := func() []frameRow {
		return []frameRow{
			{Stream: "a", Seq: 0, At: 10, Raw: "before"},
			{Stream: "a", Seq: 1, At: 20, Raw: "has a secret", Type: "secret", Agent: "secret", Event: "secret-1"},
			{Stream: "a", Seq: 2, At: 30, Raw: "after"},
		}
	}
	var asked []FrameID
	v := &View{
		From: 15, To: 30,
		Masked: func(_ context.Context, of []FrameID) (map[FrameID][]byte, error) {
			asked = of
			return map[FrameID][]byte{{"a", 1}: []byte("has a ***")}, nil
		},
		Text: func(text string) string { return strings.ReplaceAll(text, "secret", "***") },
	}
	shown, err := viewed(WithView(t.Context(), v), rows())
	if err != nil {
		t.Fatal(err)
	}
	want := frameRow{Stream: "a", Seq: 1, At: 20, Raw: "has a ***", Type: "***", Agent: "***", Event: "***-1", Flags: uint32(schema.FlagRedacted)}
	if len(shown) != 1 || shown[0] != want {
		t.Errorf("%+v, want %+v", shown, want)
	}
	if len(asked) != 1 || asked[0].Seq != 1 {
		t.Errorf("the frames %+v were read", asked)
	}
	if all, err := viewed(t.Context(), rows()); err != nil || len(all) != 3 || all[1].Raw != "has a secret" {
		t.Errorf("without a view: %+v, %v", all, err)
	}
}
