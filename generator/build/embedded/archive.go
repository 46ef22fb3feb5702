//go:build embedded

package embedded

import _ "embed" // the archive

//go:embed archive.zip
var archive []byte
