package cri

// Images that hold a shell and its commands. Without a command they start a
// shell that has nothing to read, which ends at once with 0.

var busybox = Behaviour{
	Images: []string{"docker.io/library/busybox"}, SizeBytes: 2156519, Cmd: []string{"sh"}, Memory: 1 << 20,
	Commands: []string{"httpd"},
}

// testBusybox is that of upstream's end-to-end tests, of which anything may be asked.
var testBusybox = Behaviour{Images: []string{"registry.k8s.io/e2e-test-images/busybox"}, SizeBytes: 2156519, Cmd: []string{"sh"}, Memory: 1 << 20, open: true}

var alpine = Behaviour{
	Images: []string{"docker.io/library/alpine", "docker.io/curlimages/curl", "docker.io/nicolaka/netshoot"}, SizeBytes: 3807174,
	Cmd: []string{"/bin/sh"}, Memory: 1 << 20,
}

var debian = Behaviour{
	Images:    []string{"docker.io/library/debian", "docker.io/library/ubuntu", "docker.io/library/bash"},
	SizeBytes: 29360128, Cmd: []string{"bash"}, Memory: 2 << 20,
}
