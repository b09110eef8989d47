package sessionstreams

import (
	"testing"

	"tapedeck/deploy/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }
