package certs

import (
	"crypto/x509"
	"encoding/pem"
)

// authorities parses the certificates of a PEM file. Unlike x509.CertPool it returns an error if
// one of the certificates is invalid.
func authorities(text []byte) (list []*x509.Certificate, err error) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		ca, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		list = append(list, ca)
	}
	if len(list) == 0 {
		return nil, errNoCertificate
	}
	return list, nil
}
