package kubeadm

import (
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/certificatesv1"
)

var requests = api.GroupVersionResource{Group: "certificates.k8s.io", Version: "v1", Resource: "certificatesigningrequests"}

// Signer signs requests that are texts with certificates that are texts: it implements certificates.X509, where nobody has any X.509.
type Signer struct{}

// ParseRequest implements certificates.X509.
func (Signer) ParseRequest(text []byte) (*certificatesv1.ParsedRequest, error) {
	body, ok := unpem("CERTIFICATE REQUEST", string(text))
	if !ok {
		return nil, errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	out := &certificatesv1.ParsedRequest{}
	subject, _, _ := strings.Cut(body, "\n")
	for _, part := range strings.Split(subject, ", ") {
		if name, is := strings.CutPrefix(part, "CN="); is {
			out.CommonName = name
		} else if name, is := strings.CutPrefix(part, "O="); is {
			out.Organization = append(out.Organization, name)
		}
	}
	return out, nil
}

// Sign implements certificates.X509.
func (Signer) Sign(text []byte, usages []certificatesv1.KeyUsage, notBefore, notAfter time.Time) ([]byte, error) {
	body, ok := unpem("CERTIFICATE REQUEST", string(text))
	if !ok {
		return nil, errors.New("unable to parse certificate request")
	}
	for _, u := range usages {
		body += "\nusage=" + string(u)
	}
	return []byte(pem("CERTIFICATE", body+"\nissuer=ca\nnotBefore="+notBefore.UTC().Format(time.RFC3339)+"\nnotAfter="+notAfter.UTC().Format(time.RFC3339))), nil
}

// NotAfter implements certificates.X509.
func (Signer) NotAfter(text []byte) (time.Time, bool) {
	body, ok := unpem("CERTIFICATE", string(text))
	_, end, found := strings.Cut(body, "\nnotAfter=")
	at, err := time.Parse(time.RFC3339, end)
	return at, ok && found && err == nil
}

func unbase64(text string) string {
	out, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	return string(out)
}
