package spans

import (
	"testing"

	"tapedeck/tools/systemtest/commands/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
