package query

import _ "embed"

// OpenAPI describes the API: every route, its parameters and what it answers.
// It stands here beside most of what it describes.
//
//go:embed openapi.yaml
var OpenAPI []byte
