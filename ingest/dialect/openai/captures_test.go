package openai_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/openai"
)

func TestChatCaptures(t *testing.T) { capturetest.Run(t, openai.Chat, "testdata/chat/captures") }

func TestResponsesCaptures(t *testing.T) {
	capturetest.Run(t, openai.Responses, "testdata/responses/captures")
}
