package failpoint

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestReach(t *testing.T) {
	if err := Reach(t.Context(), "store: marked"); err != nil {
		t.Errorf("without a hook: %v", err)
	}
	broken := errors.New("broken off")
	ctx := With(t.Context(), func(step string) error {
		if step == "store: removed" {
			return broken
		}
		return nil
	})
	derived, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := Reach(derived, "store: marked"); err != nil {
		t.Errorf("another step: %v", err)
	}
	if err := Reach(derived, "store: removed"); !errors.Is(err, broken) {
		t.Errorf("the step of the hook: %v", err)
	}
}
