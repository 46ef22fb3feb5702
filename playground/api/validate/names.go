// Package validate checks names and labels, and says what is wrong in the API server's words. It compares characters
// where upstream (k8s.io/apimachinery/pkg/api/validate/content) runs regular expressions: package regexp would cost
// the WebAssembly 90 kB. The expressions still appear in the messages.
package validate

import (
	"strconv"
	"strings"
)

const (
	labelKeyFmt  = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
	dnsLabelFmt  = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	labelNameMsg = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '" + labelKeyFmt + "')"
	labelValMsg  = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(" + labelKeyFmt + ")?')"
	subdomainMsg = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '" + dnsLabelFmt + "(\\." + dnsLabelFmt + ")*')"
	dnsLabelMsg  = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '" + dnsLabelFmt + "')"
)

// The longest names, in bytes.
const (
	LabelMaxLength     = 63
	SubdomainMaxLength = 253
)

// IsLabelKey returns what is wrong with s as the key of a label, an annotation or a taint: "app" or
// "example.com/app". Nothing is returned for a good one.
func IsLabelKey(s string) []string {
	var errs []string
	prefix, name, prefixed := strings.Cut(s, "/")
	switch {
	case !prefixed:
		name = s
	case strings.Contains(name, "/"):
		return []string{"a valid label key " + labelNameMsg + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	case prefix == "":
		errs = append(errs, "prefix part must be non-empty")
	default:
		for _, msg := range IsDNS1123Subdomain(prefix) {
			errs = append(errs, "prefix part "+msg)
		}
	}
	if name == "" {
		errs = append(errs, "name part must be non-empty")
	} else if len(name) > LabelMaxLength {
		errs = append(errs, "name part "+maxLength(LabelMaxLength))
	}
	if name == "" || !isBetweenAlphanumerics(name) {
		errs = append(errs, "name part "+labelNameMsg)
	}
	return errs
}

// IsLabelValue returns what is wrong with s as a label's value; an empty one is good.
func IsLabelValue(s string) []string {
	var errs []string
	if len(s) > LabelMaxLength {
		errs = append(errs, maxLength(LabelMaxLength))
	}
	if s != "" && !isBetweenAlphanumerics(s) {
		errs = append(errs, labelValMsg)
	}
	return errs
}

// IsDNS1123Label returns what is wrong with s as one part of a DNS name: what containers and namespaces are called.
func IsDNS1123Label(s string) []string {
	var errs []string
	if len(s) > LabelMaxLength {
		errs = append(errs, maxLength(LabelMaxLength))
	}
	switch {
	case isDNSLabel(s):
	case isSubdomain(s):
		errs = append(errs, "must not contain dots")
	default:
		errs = append(errs, dnsLabelMsg)
	}
	return errs
}

// IsDNS1123Subdomain returns what is wrong with s as a DNS name in lower case: what most objects are called.
func IsDNS1123Subdomain(s string) []string {
	var errs []string
	if len(s) > SubdomainMaxLength {
		errs = append(errs, maxLength(SubdomainMaxLength))
	}
	if !isSubdomain(s) {
		errs = append(errs, subdomainMsg)
	}
	return errs
}

func maxLength(n int) string { return "must be no more than " + strconv.Itoa(n) + " bytes" }

func isSubdomain(s string) bool {
	for {
		label, rest, more := strings.Cut(s, ".")
		if !isDNSLabel(label) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

func isDNSLabel(s string) bool {
	for i := range len(s) {
		c := s[i]
		inside := i > 0 && i < len(s)-1
		if !(isLower(c) || isDigit(c) || c == '-' && inside) {
			return false
		}
	}
	return s != ""
}

func isBetweenAlphanumerics(s string) bool {
	for i := range len(s) {
		c := s[i]
		inside := i > 0 && i < len(s)-1
		if !(isLower(c|0x20) || isDigit(c) || (c == '-' || c == '_' || c == '.') && inside) {
			return false
		}
	}
	return true
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
