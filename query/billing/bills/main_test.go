package bills

import (
	"os"
	"testing"

	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == closerCommand {
		os.Exit(closerMain(os.Args[2:]))
	}
	localtest.Main(m)
}
