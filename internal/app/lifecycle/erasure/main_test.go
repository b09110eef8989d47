package erasure_test

import (
	"os"
	"testing"

	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) {
	engine.RunIfChild()
	if len(os.Args) > 1 && os.Args[1] == serverCommand {
		os.Exit(serverMain(os.Args[2:]))
	}
	localtest.Main(m)
}
