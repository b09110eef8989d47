package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// WriteSBOM writes the software bill of materials of a built program as CycloneDX 1.6. Its output
// is reproducible: it contains no time, and its serial number is derived from the program's hash.
func WriteSBOM(w io.Writer, binary, version string, parts []*Part) error {
	program, err := os.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("hash of the program: %w", err)
	}
	sum := sha256.Sum256(program)
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceOID, sum[:]).String()
	root := cyclonedx.Component{
		BOMRef: "pkg:generic/tapedeck@" + version, Type: cyclonedx.ComponentTypeApplication, Name: "tapedeck", Version: version,
		Properties: &[]cyclonedx.Property{{Name: "tapedeck:file", Value: filepath.Base(binary)}},
		Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
	}
	bom.Metadata = &cyclonedx.Metadata{Component: &root}
	components, uses := []cyclonedx.Component{}, []string{}
	for _, p := range parts {
		c := cyclonedx.Component{
			BOMRef: p.PURL(), PackageURL: p.PURL(), Type: cyclonedx.ComponentTypeLibrary, Name: p.Name, Version: p.Version, Scope: cyclonedx.ScopeRequired,
		}
		var licences cyclonedx.Licenses
		for _, id := range p.Licence {
			licences = append(licences, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: id}})
		}
		if p.Hash != "" {
			algorithm := cyclonedx.HashAlgoSHA256
			if p.Kind == "npm" {
				algorithm = cyclonedx.HashAlgoSHA512
			}
			c.Hashes = &[]cyclonedx.Hash{{Algorithm: algorithm, Value: p.Hash}}
		}
		c.Licenses = &licences
		components, uses = append(components, c), append(uses, c.BOMRef)
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: root.BOMRef, Dependencies: &uses}}
	encoder := cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON)
	encoder.SetPretty(true)
	if err := encoder.EncodeVersion(bom, cyclonedx.SpecVersion1_6); err != nil {
		return fmt.Errorf("write the bill of materials: %w", err)
	}
	return nil
}
