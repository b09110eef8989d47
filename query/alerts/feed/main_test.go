package feed_test

import (
	"testing"

	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }
