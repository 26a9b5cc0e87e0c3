
# ---------------------------------------------------------------------------------------------------------------------
# Collects what is needed to find out why a program or this PC crashed, into one zip file on the Desktop.
#
# - It changes nothing on this PC: it copies files, and removes its own temporary folder.
# - It needs no administrator. It lists what it could not read; as administrator it can read more.
# - It takes event logs of the time above, error reports, small dumps, versions of the program's files, the list of drivers,
#   dxdiag, and nvidia-smi where there is an NVIDIA card. It takes no documents. Dumps that hold all memory of a program or of
#   the PC, and with it private data, are only taken where $MemoryDumps is $true.
# - collected.txt in the zip file lists everything. Look into the zip file before you send it.
#
# To run it: right-click the file and choose "Run with PowerShell", or in a PowerShell window:
#   powershell -NoProfile -ExecutionPolicy Bypass -File .\collect.ps1
# ---------------------------------------------------------------------------------------------------------------------

$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
$KB = 1024
$MB = 1048576
$MaxFile = 5 * $MB
$MaxDump = 64 * $MB
$MaxDumps = 300 * $MB
$MaxModules = 2000

$stamp = (Get-Date).ToString('yyyyMMdd-HHmmss')
$work = Join-Path ([IO.Path]::GetTempPath()) ('crash-evidence-' + [Guid]::NewGuid().ToString('N'))
$null = New-Item -ItemType Directory -Path $work
$script:Notes = New-Object System.Collections.ArrayList
$script:DumpBytes = 0

function Add-Note([string]$text) {
    Write-Host $text
    $null = $script:Notes.Add($text)
}

function Get-Target([string]$relative) {
    $target = Join-Path $work $relative
    $folder = Split-Path -Parent $target
    if (-not (Test-Path -LiteralPath $folder)) { $null = New-Item -ItemType Directory -Path $folder -Force }
    return $target
}

# Copies one file into the folder, unless it is too large.
function Copy-Evidence([IO.FileInfo]$file, [string]$relative, [long]$most) {
    if ($file.Length -gt $most -and -not $MemoryDumps) {
        Add-Note ('not taken, too large: ' + $file.FullName + ' (' + [math]::Ceiling($file.Length / $MB) + ' MB)')
        return $false
    }
    try {
        Copy-Item -LiteralPath $file.FullName -Destination (Get-Target $relative) -Force
        return $true
    } catch {
        Add-Note ('not readable: ' + $file.FullName + ': ' + $_.Exception.Message)
        return $false
    }
}

function Get-Files([string]$folder, [bool]$below) {
    if ([string]::IsNullOrEmpty($folder)) { return @() }
    try {
        if (-not (Test-Path -LiteralPath $folder)) { return @() }
        $found = @(Get-ChildItem -LiteralPath $folder -File -Force -Recurse:$below -ErrorAction SilentlyContinue -ErrorVariable refused)
        foreach ($one in $refused) { Add-Note ('not readable: ' + [string]$one.TargetObject) }
        return $found
    } catch {
        Add-Note ('not readable: ' + $folder + ': ' + $_.Exception.Message)
        return @()
    }
}

function Test-InTime([datetime]$time) {
    $utc = $time.ToUniversalTime()
    return ($utc -ge $From) -and ($utc -le $Until)
}

# Windows cuts long names of programs in the names of reports.
function Test-OfProgram([string]$name) {
    if ($Program -eq '') { return $true }
    $begin = $Program.Substring(0, [math]::Min(15, $Program.Length))
    return $name.IndexOf($begin, [StringComparison]::OrdinalIgnoreCase) -ge 0
}

# Whether a dump holds only a part of the memory: a minidump without MiniDumpWithFullMemory, or a small (triage) kernel dump.
function Test-SmallDump([IO.FileInfo]$file) {
    try {
        $stream = [IO.File]::Open($file.FullName, 'Open', 'Read', 'ReadWrite')
        try {
            $head = New-Object byte[] 4096
            $read = $stream.Read($head, 0, 4096)
        } finally {
            $stream.Dispose()
        }
    } catch {
        Add-Note ('not readable: ' + $file.FullName + ': ' + $_.Exception.Message)
        return $false
    }
    if ($read -lt 32) { return $false }
    $magic = [Text.Encoding]::ASCII.GetString($head, 0, 8)
    if ($magic.StartsWith('MDMP')) { return ($head[24] -band 2) -eq 0 }
    if ($read -lt 4096) { return $false }
    if ($magic -eq 'PAGEDU64') { return [BitConverter]::ToUInt32($head, 0xF98) -eq 4 }
    if ($magic -eq 'PAGEDUMP') { return [BitConverter]::ToUInt32($head, 0xF88) -eq 4 }
    return $false
}

function Copy-Dump([IO.FileInfo]$file, [string]$relative) {
    if (-not $MemoryDumps -and -not (Test-SmallDump $file)) {
        Add-Note ('not taken, holds all memory or is no small dump: ' + $file.FullName)
        return
    }
    if (-not $MemoryDumps -and ($script:DumpBytes + $file.Length) -gt $MaxDumps) {
        Add-Note ('not taken, the dumps together are too large: ' + $file.FullName)
        return
    }
    if (Copy-Evidence $file $relative $MaxDump) { $script:DumpBytes += $file.Length }
}

# The event logs of the time, by a structured query; an empty list of filters takes every provider.
function Export-Log([string]$channel, [string[]]$filters) {
    $name = $channel.Replace('/', '%4')
    $inTime = "TimeCreated[@SystemTime&gt;='" + $From.ToString('yyyy-MM-ddTHH:mm:ss.000Z') + "' and @SystemTime&lt;='" +
        $Until.ToString('yyyy-MM-ddTHH:mm:ss.000Z') + "']"
    $selects = ''
    if ($filters.Count -eq 0) { $filters = @('') }
    foreach ($filter in $filters) {
        $of = ''
        if ($filter -ne '') { $of = 'Provider[' + $filter + '] and ' }
        $selects += '<Select Path="' + $channel + '">*[System[' + $of + $inTime + ']]</Select>'
    }
    $query = Join-Path $work 'query.xml'
    $xml = '<QueryList><Query Id="0" Path="' + $channel + '">' + $selects + '</Query></QueryList>'
    [IO.File]::WriteAllText($query, $xml)
    $target = Get-Target (Join-Path 'Logs' ($name + '.evtx'))
    $said = ''
    try {
        $ErrorActionPreference = 'Continue'
        $said = (& wevtutil.exe epl $query $target /sq:true /ow:true 2>&1 | Out-String).Trim()
        if ($LASTEXITCODE -ne 0) { Add-Note ('not readable: log ' + $channel + ': ' + $said) }
    } catch {
        Add-Note ('not readable: log ' + $channel + ': ' + $_.Exception.Message)
    } finally {
        $ErrorActionPreference = 'Stop'
        Remove-Item -LiteralPath $query -Force -ErrorAction SilentlyContinue
    }
}

function Save-Output([string]$relative, [string]$command, [string[]]$arguments) {
    try {
        $ErrorActionPreference = 'Continue'
        $lines = @(& $command @arguments 2>&1 | ForEach-Object { [string]$_ })
        [IO.File]::WriteAllLines((Get-Target $relative), [string[]]$lines)
    } catch {
        Add-Note ('not readable: ' + $command + ': ' + $_.Exception.Message)
    } finally {
        $ErrorActionPreference = 'Stop'
    }
}

# Where the program is: from the evidence, from a running process, or from an error report.
function Find-ProgramFolder([string[]]$reports) {
    if ($ProgramPath -ne '' -and (Test-Path -LiteralPath $ProgramPath)) { return Split-Path -Parent $ProgramPath }
    if ($Program -eq '') { return '' }
    foreach ($process in @(Get-Process -ErrorAction SilentlyContinue)) {
        $path = ''
        try { $path = [string]$process.Path } catch { $path = '' }
        if ($path -ne '' -and (Split-Path -Leaf $path) -eq $Program) { return Split-Path -Parent $path }
    }
    foreach ($report in $reports) {
        foreach ($line in @(Get-Content -LiteralPath $report -ErrorAction SilentlyContinue)) {
            if ($line.StartsWith('AppPath=')) {
                $path = $line.Substring(8)
                if ((Split-Path -Leaf $path) -eq $Program -and (Test-Path -LiteralPath $path)) { return Split-Path -Parent $path }
            }
        }
    }
    return ''
}

try {
    Add-Note ('Evidence of ' + $env:COMPUTERNAME + ', ' + $From.ToString('u') + ' to ' + $Until.ToString('u'))

    # Event logs: of the Application log only the providers that report failures and changes.
    Export-Log 'Application' $Providers
    Export-Log 'System' @()
    foreach ($channel in $Channels) { Export-Log $channel @() }

    # Reports of Windows Error Reporting, of the whole PC and of this user.
    $reports = New-Object System.Collections.ArrayList
    foreach ($base in @($env:ProgramData, $env:LOCALAPPDATA)) {
        if ([string]::IsNullOrEmpty($base)) { continue }
        foreach ($kind in @('ReportArchive', 'ReportQueue')) {
            $folder = Join-Path $base (Join-Path 'Microsoft\Windows\WER' $kind)
            foreach ($file in (Get-Files $folder $true)) {
                $report = Split-Path -Leaf $file.DirectoryName
                $wanted = (Test-OfProgram $report) -or $report.StartsWith('Kernel_') -or $report.StartsWith('BlueScreen')
                if (-not $wanted -or -not (Test-InTime $file.LastWriteTime)) { continue }
                $relative = 'WER\' + $kind + '\' + $report + '\' + $file.Name
                if ($file.Extension -eq '.dmp' -or $file.Extension -eq '.mdmp') {
                    Copy-Dump $file $relative
                } elseif (@('.wer', '.txt', '.xml', '.csv') -contains $file.Extension) {
                    if ((Copy-Evidence $file $relative $MaxFile) -and $file.Name -eq 'Report.wer') { $null = $reports.Add($file.FullName) }
                }
            }
        }
    }

    # Dumps, the newest first.
    $places = @(
        @(($env:LOCALAPPDATA + '\CrashDumps'), 'CrashDumps', $true),
        @(($env:SystemRoot + '\System32\config\systemprofile\AppData\Local\CrashDumps'), 'CrashDumps', $true),
        @(($env:SystemRoot + '\Minidump'), 'Minidump', $false),
        @(($env:SystemRoot + '\LiveKernelReports'), 'LiveKernelReports', $false)
    )
    foreach ($place in $places) {
        $files = @(Get-Files $place[0] $true | Where-Object { $_.Extension -eq '.dmp' } | Sort-Object LastWriteTime -Descending)
        foreach ($file in $files) {
            $wanted = (Test-InTime $file.LastWriteTime) -and (-not $place[2] -or (Test-OfProgram $file.Name))
            if ($wanted) { Copy-Dump $file (Join-Path $place[1] $file.Name) }
        }
    }
    if ($MemoryDumps) {
        $memory = Join-Path $env:SystemRoot 'MEMORY.DMP'
        if (Test-Path -LiteralPath $memory) {
            try { Copy-Dump (Get-Item -LiteralPath $memory -Force) 'MEMORY.DMP' } catch { Add-Note ('not readable: ' + $memory) }
        }
    }

    # Versions of the program's files.
    $folder = Find-ProgramFolder @($reports)
    if ($folder -ne '') {
        $rows = Get-Files $folder $true | Where-Object { @('.exe', '.dll', '.pyd', '.sys') -contains $_.Extension } |
            Select-Object -First $MaxModules | ForEach-Object {
                $version = $_.VersionInfo
                New-Object PSObject -Property @{
                    Path = $_.FullName; FileVersion = $version.FileVersion; ProductVersion = $version.ProductVersion
                    Company = $version.CompanyName; Bytes = $_.Length; Written = $_.LastWriteTimeUtc.ToString('u')
                }
            }
        if ($rows) {
            $rows | Select-Object -Property @('Path', 'FileVersion', 'ProductVersion', 'Company', 'Bytes', 'Written') |
                Export-Csv -LiteralPath (Get-Target 'modules.csv') -NoTypeInformation -Encoding UTF8
        }
    } elseif ($Program -ne '') {
        Add-Note ('not found: the folder of ' + $Program + '; start the program and run this script again to list its files')
    }

    # Drivers, graphics, processor and system.
    Save-Output 'drivers.csv' 'driverquery.exe' @('/v', '/fo', 'csv')
    $dxdiag = Get-Target 'dxdiag.txt'
    try {
        $process = Start-Process -FilePath 'dxdiag.exe' -ArgumentList ('/whql:off /t "' + $dxdiag + '"') -PassThru -WindowStyle Hidden
        for ($second = 0; $second -lt 120; $second++) {
            if ($process.HasExited -and (Test-Path -LiteralPath $dxdiag)) { break }
            Start-Sleep -Seconds 1
        }
        if (-not (Test-Path -LiteralPath $dxdiag)) { Add-Note 'not readable: dxdiag wrote nothing within two minutes' }
    } catch {
        Add-Note ('not readable: dxdiag: ' + $_.Exception.Message)
    }
    $nvidia = Join-Path $env:SystemRoot 'System32\nvidia-smi.exe'
    if (Test-Path -LiteralPath $nvidia) { Save-Output 'nvidia-smi.txt' $nvidia @('-q') }

    # What was taken.
    $files = @(Get-Files $work $true)
    Add-Note ''
    Add-Note ('Taken: ' + $files.Count + ' files')
    foreach ($file in $files) {
        Add-Note ('  ' + $file.FullName.Substring($work.Length + 1) + '  ' + [math]::Ceiling($file.Length / $KB) + ' KB')
    }
    [IO.File]::WriteAllLines((Join-Path $work 'collected.txt'), [string[]]$script:Notes)

    $desktop = [Environment]::GetFolderPath('Desktop')
    if ([string]::IsNullOrEmpty($desktop)) { $desktop = (Get-Location).Path }
    $zip = Join-Path $desktop ('crash-evidence-' + $env:COMPUTERNAME + '-' + $stamp + '.zip')
    try {
        Add-Type -AssemblyName System.IO.Compression
        Add-Type -AssemblyName System.IO.Compression.FileSystem
        $archive = [IO.Compression.ZipFile]::Open($zip, 'Create')
        try {
            foreach ($file in @(Get-Files $work $true)) {
                $entry = $file.FullName.Substring($work.Length + 1).Replace('\', '/')
                $null = [IO.Compression.ZipFileExtensions]::CreateEntryFromFile($archive, $file.FullName, $entry)
            }
        } finally {
            $archive.Dispose()
        }
    } catch {
        Compress-Archive -Path (Join-Path $work '*') -DestinationPath $zip -Force
    }
    $size = [math]::Ceiling((Get-Item -LiteralPath $zip).Length / $KB)
    Write-Host ''
    Write-Host ('Done: ' + $zip + ' (' + $size + ' KB). Look into it, then send it.')
} finally {
    Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
}
if (-not $NoWait -and $Host.Name -eq 'ConsoleHost') { $null = Read-Host 'Press Enter to close' }
