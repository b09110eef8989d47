package openai

import (
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/dialect/dialecttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChatCases(t *testing.T) { dialecttest.Run(t, Chat, "testdata/chat/cases") }

func TestResponsesCases(t *testing.T) { dialecttest.Run(t, Responses, "testdata/responses/cases") }

func FuzzChat(f *testing.F) { dialecttest.Fuzz(f, Chat, "testdata/chat/cases") }

func FuzzResponses(f *testing.F) { dialecttest.Fuzz(f, Responses, "testdata/responses/cases") }
