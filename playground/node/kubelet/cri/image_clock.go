package cri

import (
	"strconv"

	"kubewalk/playground/api/x509"
)

// clock is an extension API server of our own, for demos: see clockAPI.
//
//	--secure-port=6443   listens there
//	--tls-cert-file=PATH has its certificate there; without it, it makes one at its start
var clock = Behaviour{
	Images: []string{"kubewalk.dev/clock-apiserver"}, SizeBytes: 15728640, Entrypoint: []string{"/clock-apiserver"}, Memory: 24 << 20,
	shellless: true,
	Read: func(argv []string) (Program, bool) {
		if base(argv[0]) != "clock-apiserver" {
			return Program{}, false
		}
		port, options := int64(6443), flags(argv[1:])
		if text, ok := options["secure-port"]; ok {
			n, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return Program{ExitCode: 1, Says: []string{"invalid argument " + strconv.Quote(text) + ` for "--secure-port" flag`}}, true
			}
			port = int64(n)
		}
		return Program{Forever: true, Serves: true, Ports: []int32{int32(port)}, CPU: milli, API: &clockAPI{}, Certificate: certificateOf(options)}, true
	},
}

// certificateOf is what a server of the API shows. Upstream: apiserver/pkg/server/options/serving.go, MaybeDefaultWithSelfSignedCerts.
func certificateOf(options map[string]string) string {
	if file := options["tls-cert-file"]; file != "" {
		return file
	}
	return x509.SelfSigned
}
