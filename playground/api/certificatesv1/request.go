package certificatesv1

// ParsedRequest is what is read of a request in PEM, for who decides on it.
type ParsedRequest struct {
	CommonName                                  string
	Organization                                []string
	DNSNames, EmailAddresses, IPAddresses, URIs int // how many
}
