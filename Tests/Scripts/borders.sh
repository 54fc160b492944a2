#!/bin/sh
# Checks the borders between modules. Any import that the table does not list fails, and any top-level name that two modules
# declare. And the largest folders and files.
set -eu
fail=0

complain() {
    echo "$1" >&2
    fail=1
}

# A folder or file, then the modules that its files may import; the longest matching row applies. "system" means
# Foundation and the toolchain's modules. Imports point one way: C and API, Engines, Services, Features, Gateway, CLI.
# In a feature only Routes/ imports Server or Hummingbird; Settings/ may import Server for the names of settings.
table='
Sources/API/GatewayAPI                  -
Sources/API/GatewayClient               system GatewayAPI

Sources/Engines/Concurrency             system
Sources/Engines/Cryptography            system CCrypto CryptoKit
Sources/Engines/Machine                 system CMemory
Sources/Engines/Text                    system CMemory
Sources/Engines/Language                Text
Sources/Engines/Citations               Language Text
Sources/Engines/Transport               system CCurl Machine NIOCore
Sources/Engines/Retrieval               system CMemory CKernels CMappedFile Text
Sources/Engines/Retrieval/Vectors/BLAS.swift  system CBLAS Accelerate
Sources/Engines/QRCode                  -
Sources/Engines/Schedules               -
Sources/Engines/Schedules/Zones/ZoneDatabase.swift  system
Sources/Engines/Delivery                Schedules
Sources/Engines/Push                    Cryptography Delivery GatewayAPI Schedules
Sources/Engines/Push/Addresses          Machine
Sources/Engines/Push/Templates          GatewayAPI Prompts Schedules
Sources/Engines/Goals                   Language Schedules Text
Sources/Engines/Goals/Progress/HabitScore.swift  system
Sources/Engines/Questions               Goals Language
Sources/Engines/Communities             Text
Sources/Engines/ActionItems             Citations Goals Language
Sources/Engines/Facts                   Citations Language Text
Sources/Engines/Documents               system Text
Sources/Engines/Documents/Archive       CZip
Sources/Engines/Documents/Charset       CCharset
Sources/Engines/Documents/Markdown      CMarkdown
Sources/Engines/Documents/Markup        CXML
Sources/Engines/Documents/PDF           system Text CQPDF CZlib
Sources/Engines/Evaluation              system
Sources/Engines/Folders                 system Text
Sources/Engines/Ingest                  system Cryptography Documents Text Yams
Sources/Engines/ChatRun                 GatewayAPI Text
Prompts                                 Mustache

Sources/Database                        GatewayAPI Machine
Sources/Rooms/ChatRoom                  system Database GatewayAPI Machine Text
Sources/Rooms/GoalRoom                  system Database GatewayAPI Goals Schedules Text Cryptography
Sources/Rooms/JobRoom                   system Database GatewayAPI Machine
Sources/Rooms/KeyRoom                   system Cryptography Database GatewayAPI
Sources/Rooms/PromptRoom                Database GatewayAPI
Sources/Rooms/EvaluationRoom            Database GatewayAPI
Sources/Rooms/AuditRoom                 Database GatewayAPI
Sources/Rooms/SourceRoom                Database GatewayAPI Machine
Sources/Rooms/BookRoom                  system Database GatewayAPI Machine Text
Sources/Rooms/PushRoom                  system Database GatewayAPI Machine Text
Sources/Rooms/AssociationRoom           Database GatewayAPI
Sources/Rooms/BriefingRoom              Database
Sources/Rooms/TaskRoom                  system Database GatewayAPI Cryptography
Sources/Rooms/ThreadRoom                system Database GatewayAPI

Sources/Services/Traffic                system
Sources/Services/Storage                system GatewayAPI Machine Traffic Text Goals GRDB GRDBSQLite Cryptography Database JobRoom PromptRoom EvaluationRoom ChatRoom BookRoom GoalRoom Schedules PushRoom KeyRoom TaskRoom AssociationRoom ThreadRoom BriefingRoom AuditRoom SourceRoom
Sources/Services/PostgresStorage        system Concurrency GatewayAPI Machine Retrieval Storage Text Cryptography Logging Database JobRoom PromptRoom ChatRoom BookRoom KeyRoom
Sources/Services/PostgresStorage/Connection  system CPostgres Concurrency Database
Sources/Services/Inference              system GatewayAPI Transport Cryptography Logging NIOCore
Sources/Services/Inference/Protocols    GatewayAPI
Sources/Services/Access                 system GatewayAPI Cryptography Transport Inference Logging Database KeyRoom
Sources/Services/Audit                  system GatewayAPI Logging AuditRoom
Sources/Services/PushChannels           system Cryptography Delivery GatewayAPI Machine Push PushRoom Schedules Transport Logging NIOCore
Sources/Services/Certificates           system GatewayAPI Machine Cryptography Logging ServiceLifecycle
Sources/Services/Telemetry              system GatewayAPI Inference Transport Logging NIOCore ServiceLifecycle
Sources/Services/Tools                  GatewayAPI Text
Sources/Services/Finding                Access GatewayAPI Goals Questions Schedules Text
Sources/Services/DocumentReading        system Documents CChildProcess
Sources/Services/Server/Settings/ConfigurationText.swift  system GatewayAPI Text Yams
Sources/Services/Server                 system GatewayAPI Telemetry Traffic Machine Text Access Audit Cryptography HTTPTypes Hummingbird HummingbirdCore Logging NIOCore NIOFoundationEssentialsCompat NIOHTTP1 NIOHTTP2 NIOHTTPTypes NIOHTTPTypesHTTP2 NIOSSL NIOTLS NIOWebSocket ServiceLifecycle

Sources/Features/LLM                    system GatewayAPI Transport Inference Access
Sources/Features/LLM/Answer             system Transport Inference NIOCore
Sources/Features/LLM/Catalogue          system GatewayAPI Transport Inference NIOCore
Sources/Features/LLM/Proxy              system GatewayAPI Transport Inference Access HTTPTypes
Sources/Features/LLM/Settings           system GatewayAPI Machine Transport Inference Server
Sources/Features/LLM/Routes             system Telemetry GatewayAPI Transport Inference Access Audit Server HTTPTypes Hummingbird HummingbirdCore Logging NIOCore NIOHTTPTypes NIOHTTPTypesHTTP1 NIOSSL KeyRoom
Sources/Features/Search                 system Finding Concurrency PostgresStorage GatewayAPI Machine Text Transport Retrieval Storage Inference Access Logging ServiceLifecycle JobRoom BookRoom Database AssociationRoom ThreadRoom ChatRoom
Sources/Features/Search/Analysis        system GatewayAPI Goals Questions Retrieval Schedules Storage Text BookRoom Database
Sources/Features/Search/Find            Access ChatRoom Concurrency Database Finding GatewayAPI Questions Retrieval Storage Text
Sources/Features/Search/Settings        system Logging PostgresStorage Retrieval Server
Sources/Features/Search/Tools           system GatewayAPI Text Retrieval Access Tools
Sources/Features/Search/Routes          system PostgresStorage GatewayAPI Text Retrieval Storage Access Server HTTPTypes Hummingbird
Sources/Features/Notes                  system Communities GatewayAPI Text Machine Goals Schedules Storage Access Cryptography JobRoom BookRoom TaskRoom AssociationRoom ThreadRoom BriefingRoom
Sources/Features/Notes/Settings         system Server
Sources/Features/Notes/History          system Storage Logging ServiceLifecycle
Sources/Features/Notes/Import           GatewayAPI Ingest Storage
Sources/Features/Notes/Tasks            system Text ActionItems Concurrency GatewayAPI Goals Schedules Storage JobRoom TaskRoom
Sources/Features/Notes/Threads/Phrasing  system Access Citations Cryptography GatewayAPI Inference Language Logging Prompts Storage Text Tools Transport ThreadRoom
Sources/Features/Notes/Tools            system GatewayAPI Text Storage Tools TaskRoom AssociationRoom
Sources/Features/Notes/Routes           system Concurrency GatewayAPI Goals Text Storage Access Server HTTPTypes Hummingbird NIOCore PushRoom KeyRoom TaskRoom AssociationRoom ThreadRoom
Sources/Features/Conversations          system GatewayAPI Storage ChatRoom
Sources/Features/Conversations/Routes   system GatewayAPI Storage Access Server HTTPTypes Hummingbird ChatRoom
Sources/Features/Chat                   system Concurrency GatewayAPI Machine ChatRun Citations Prompts Text Transport Retrieval Storage Inference Access Tools Search Cryptography Logging ServiceLifecycle ChatRoom JobRoom BookRoom Database TaskRoom
Sources/Features/Chat/Memories          system Facts GatewayAPI ChatRun Prompts Transport Storage Inference Access Tools Search Logging ServiceLifecycle ChatRoom JobRoom
Sources/Features/Chat/Settings          system Tools Server
Sources/Features/Chat/Routes            system GatewayAPI Inference ChatRun Prompts Storage Access Tools Server HTTPTypes Hummingbird NIOCore ServiceLifecycle ChatRoom KeyRoom Database
Sources/Features/PromptLibrary          system GatewayAPI Text Prompts Storage Cryptography Database PromptRoom
Sources/Features/PromptLibrary/Routes   system GatewayAPI Prompts Storage Access Tools Server HTTPTypes Hummingbird Database PromptRoom KeyRoom
Sources/Features/Web                    system CSite CZlib Cryptography Machine Access Logging ServiceLifecycle
Sources/Features/Web/Settings           system Server
Sources/Features/Web/Routes             system GatewayAPI Cryptography QRCode Access Audit Certificates Server HTTPTypes Hummingbird NIOCore Database KeyRoom
Sources/Features/NoteSources            system Concurrency Folders GatewayAPI Ingest Logging Machine ServiceLifecycle SourceRoom Storage Text
Sources/Features/NoteSources/Routes     system Concurrency GatewayAPI Storage Text Access Server HTTPTypes Hummingbird
Sources/Features/WebSearch              system GatewayAPI Text Transport Documents DocumentReading NIOCore
Sources/Features/WebSearch/Settings     Inference Transport Server
Sources/Features/WebSearch/Routes       GatewayAPI Access Server HTTPTypes Hummingbird
Sources/Features/Find                   Access ChatRoom Concurrency Database Finding GatewayAPI Goals Questions Retrieval Schedules Storage Text
Sources/Features/Find/Routes            Access Finding GatewayAPI Server HTTPTypes Hummingbird
Sources/Features/Jobs                   system GatewayAPI Machine Storage Logging ServiceLifecycle Database JobRoom
Sources/Features/Jobs/Routes            system GatewayAPI Storage Access Server HTTPTypes Hummingbird NIOCore ServiceLifecycle Database JobRoom
Sources/Features/Books                  system Finding Questions GatewayAPI Machine Text Transport Retrieval Documents DocumentReading Storage Inference Access Search Cryptography Logging NIOCore ServiceLifecycle JobRoom BookRoom Database
Sources/Features/Books/Settings         system Server
Sources/Features/Books/Routes           system GatewayAPI Documents Retrieval Storage Access Server HTTPTypes Hummingbird NIOCore BookRoom Database
Sources/Features/Goals                  system Finding Questions GatewayAPI Transport Goals Schedules Storage Inference Tools Cryptography Text Logging ServiceLifecycle Database GoalRoom PushRoom
Sources/Features/Goals/Settings         system GatewayAPI Server
Sources/Features/Goals/Routes           system GatewayAPI Goals Storage Access Server HTTPTypes Hummingbird NIOCore Database GoalRoom
Sources/Features/Goals/Tools            system GatewayAPI Goals Schedules Storage Tools Database GoalRoom
Sources/Features/Books/Tools            system GatewayAPI Documents Retrieval Storage Text Access Tools BookRoom
Sources/Features/Notifications          system GatewayAPI Machine Push PushChannels Delivery Schedules Storage Cryptography Logging ServiceLifecycle Database PushRoom KeyRoom ChatRoom
Sources/Features/Notifications/Triggers system GatewayAPI Push Schedules Storage Logging ServiceLifecycle Database PushRoom KeyRoom AssociationRoom BriefingRoom ChatRoom JobRoom ThreadRoom
Sources/Features/Notifications/Pictures  system GatewayAPI Machine Push PushChannels Storage Transport Logging
Sources/Features/Notifications/Settings  system PushChannels Server
Sources/Features/Notifications/Routes   system GatewayAPI Push PushChannels Schedules Storage Access Cryptography Server HTTPTypes Hummingbird NIOCore ServiceLifecycle Database PushRoom KeyRoom
Sources/Features/MCP                    system GatewayAPI Text Storage Tools BookRoom
Sources/Features/MCP/Settings           system Server
Sources/Features/MCP/Routes             system GatewayAPI Storage Access Tools Server HTTPTypes Hummingbird NIOCore ServiceLifecycle KeyRoom
Sources/Features/Console                system GatewayAPI Traffic Storage Logging ServiceLifecycle KeyRoom
Sources/Features/Console/Settings       system Server
Sources/Features/Console/Evaluations    system Evaluation GatewayAPI Inference Retrieval Storage Text Transport JobRoom Database EvaluationRoom Logging ServiceLifecycle
Sources/Features/Console/Routes         system Evaluation GatewayAPI Traffic Inference Machine Storage Access Server HTTPTypes Hummingbird Logging JobRoom Database EvaluationRoom ServiceLifecycle KeyRoom AuditRoom
Sources/Features/Console/Routes/Live    system GatewayAPI Storage Access Server HTTPTypes Hummingbird NIOCore ServiceLifecycle KeyRoom
Sources/Features/Backfill               system Concurrency PostgresStorage GatewayAPI Machine Text Transport Storage Inference Logging ServiceLifecycle JobRoom
Sources/Features/Backfill/Settings      system Server
Sources/Features/StoreMigration         Database Storage KeyRoom

Sources/App/Gateway                     system Find Finding Telemetry Audit AuditRoom PostgresStorage GatewayAPI Traffic Machine Transport Retrieval Storage Inference Access Certificates Tools Prompts Server LLM Documents Search NoteSources Notes Conversations Chat PromptLibrary Jobs Web WebSearch Books Console GoalTracking Backfill MCP Notifications HTTPTypes Hummingbird HummingbirdCore Logging NIOCore ServiceLifecycle Database ChatRoom JobRoom PromptRoom BookRoom GoalRoom KeyRoom
Sources/App/CLI                         system Find Finding Audit AuditRoom CSamples PostgresStorage GatewayAPI GatewayClient Console Facts Machine Text Transport Retrieval Evaluation Ingest Prompts Storage Inference Certificates Tools Server LLM Chat Search NoteSources Notes Web WebSearch QRCode Books Documents DocumentReading Backfill MCP Notifications PushChannels StoreMigration Gateway ArgumentParser Logging NIOCore ServiceLifecycle UnixSignals BookRoom Database KeyRoom PushRoom
'
system='Darwin Dispatch Foundation FoundationEssentials FoundationNetworking Glibc Security Synchronization'

list=$(mktemp)
trap 'rm -f "$list"' EXIT
grep -rnE '^ *(public |internal |package |private |fileprivate |@testable |@preconcurrency )*import ' Sources Prompts \
    --include='*.swift' > "$list" || true
found=$(echo "$table" | awk -v toolchain="$system" '
    FNR == NR {
        if (NF == 0) next
        rows[$1] = ""
        for (i = 2; i <= NF; i++) rows[$1] = rows[$1] " " ($i == "system" ? toolchain : $i)
        next
    }
    {
        file = $0; sub(/:.*/, "", file)
        module = $NF; sub(/\..*/, "", module)
        row = file
        while (row != "" && !(row in rows)) { if (!sub(/\/[^\/]*$/, "", row)) row = "" }
        if (row == "") print file ": no row of the table in Tests/Scripts/borders.sh covers it"
        else if (index(rows[row] " ", " " module " ") == 0) print file ": " row " may not import " module
    }' - "$list")
[ -z "$found" ] || complain "$found"

# Other programs may store any type in a column. On an unexpected type GRDB's subscripts trap and its typed fetches fail.
found=$(grep -rnE '\brow\??\[|\$0\[("|[0-9])|\b(Int|Int32|Int64|UInt64|SpaceID|String|Data|Double|Bool|Date)\??\.fetch(One|All|Set|Cursor)\(|\.fromDatabaseValue\(|uniqueKeysWithValues' \
    Sources/Services/Storage --include='*.swift' | grep -v '^Sources/Services/Storage/Values/' || true)
[ -z "$found" ] || complain "Storage reads a column by other means than Row+Values.swift and Scalar.swift:
$found"

# A name means one thing: no two modules declare the same one at the top level. Private and nested names, extensions and an
# executable's main.swift do not count. The formatter leaves only top-level declarations at a line's start.
tr '\n' ' ' < Package.swift | grep -oE 'path: "(Sources|Prompts)[^"]*"' | cut -d'"' -f2 > "$list"
found=$(grep -rE '^((@[A-Za-z]+(\([^)]*\))?|public|package|internal|open|final|indirect|nonisolated(\(unsafe\))?) +)*(struct|class|enum|actor|protocol|typealias|func|let|var) +[A-Za-z_]' \
    Sources Prompts --include='*.swift' | grep -v '/main\.swift:' | awk '
    FNR == NR { modules[$1]; next }
    {
        module = $0; sub(/:.*/, "", module)
        while (module != "" && !(module in modules)) { if (!sub(/\/[^\/]*$/, "", module)) module = "" }
        line = $0; sub(/^[^:]*:/, "", line)
        count = split(line, words, " ")
        for (i = 1; i < count && words[i] !~ /^(struct|class|enum|actor|protocol|typealias|func|let|var)$/;) i++
        name = words[i + 1]; sub(/[^A-Za-z0-9_].*/, "", name)
        if (!(name in first)) first[name] = module
        else if (first[name] != module) print name ": declared by " first[name] " and by " module
    }' "$list" - | sort -u)
[ -z "$found" ] || complain "$found"

# An opt-out from concurrency checks needs a SAFETY: comment in the five lines above.
grep -rnE '@unchecked Sendable|nonisolated\(unsafe\)' Sources Prompts Tests --include='*.swift' \
    | grep -vE '^[^:]+:[0-9]+: *///' > "$list" || true
while IFS=: read -r file line _; do
    start=$((line > 5 ? line - 5 : 1))
    sed -n "${start},${line}p" "$file" | grep -q 'SAFETY:' || complain "$file:$line opts out without a SAFETY: comment"
done < "$list"

# Size is a sign, no rule: lint warns early and fails where a person would lose the way. A folder warns from 21 files and folders
# on and fails from 31, a Swift file fails from 601 lines on, and Gateway, which only composes, warns from 1,001 lines on.
find Sources Prompts Tests -mindepth 2 -not -path '*/.*' -not -path 'Tests/Fuzz/Seeds/*' | sed 's|/[^/]*$||' | sort | uniq -c > "$list"
awk '$1 > 20 && $1 <= 30 { print "warning: " $2 ": " $1 " files and folders" }' "$list" >&2
found=$(awk '$1 > 30 { print $2 ": " $1 " files and folders, at most 30" }' "$list")
[ -z "$found" ] || complain "$found"
found=$(find Sources Prompts Tests Benchmarks -name '*.swift' -exec wc -l {} + | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines, at most 600" }')
[ -z "$found" ] || complain "$found"
files=$(find Sources/App/Gateway -name '*.swift' | wc -l)
lines=$(find Sources/App/Gateway -name '*.swift' -exec cat {} + | wc -l)
[ "$lines" -le 1000 ] || echo "warning: Sources/App/Gateway has $lines lines; what it grows by belongs to a feature or a service" >&2
[ "$files" -le 12 ] && [ "$lines" -le 1300 ] \
    || complain "Sources/App/Gateway has $files files and $lines lines, at most 12 and 1300"

exit $fail
