package openai_test

import (
	"testing"

	"tapedeck/ingest/dialect/dialecttest/capture"
	"tapedeck/ingest/dialect/openai"
)

func TestChatCaptures(t *testing.T) { capture.Run(t, openai.Chat, "testdata/chat/captures") }

func TestResponsesCaptures(t *testing.T) {
	capture.Run(t, openai.Responses, "testdata/responses/captures")
}
