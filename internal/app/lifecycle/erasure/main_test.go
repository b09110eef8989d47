package erasure_test

import (
	"os"
	"testing"

	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/engine/enginetest"
	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) {
	engine.RunIfChild()
	enginetest.Use()
	if len(os.Args) > 1 && os.Args[1] == serverCommand {
		os.Exit(serverMain(os.Args[2:]))
	}
	localtest.Main(m)
}
