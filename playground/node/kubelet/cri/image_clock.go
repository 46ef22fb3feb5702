package cri

import "strconv"

// clock is an extension API server of our own, for demos: see clockAPI.
//
//	--secure-port=6443   listens there
var clock = Behaviour{
	Images: []string{"kubewalk.dev/clock-apiserver"}, SizeBytes: 15728640, Entrypoint: []string{"/clock-apiserver"}, Memory: 24 << 20,
	shellless: true,
	Read: func(argv []string) (Program, bool) {
		if base(argv[0]) != "clock-apiserver" {
			return Program{}, false
		}
		port := int64(6443)
		if text, ok := flags(argv[1:])["secure-port"]; ok {
			n, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return Program{ExitCode: 1, Says: []string{"invalid argument " + strconv.Quote(text) + ` for "--secure-port" flag`}}, true
			}
			port = int64(n)
		}
		return Program{Forever: true, Serves: true, Ports: []int32{int32(port)}, CPU: milli, API: &clockAPI{}}, true
	},
}
