package query

import _ "embed"

// OpenAPI is the description of the API: every route, its parameters and its answers. Most routes
// are implemented in the folders below this one.
//
//go:embed openapi.yaml
var OpenAPI []byte
