package rootcause

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOf(t *testing.T) {
	joined := errors.Join(io.EOF, io.ErrClosedPipe)
	for err, want := range map[error]error{
		nil:    nil,
		io.EOF: io.EOF,
		fmt.Errorf("read: %w", fmt.Errorf("connection: %w", io.EOF)): io.EOF,
		fmt.Errorf("close: %w", joined):                              joined,
	} {
		if got := Of(err); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}
