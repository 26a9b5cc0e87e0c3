# Remediation script of the remediation "Collect crash evidence": runs the script of `crashsift collect-script` and puts the zip
# file where support takes it. build.sh puts the script below the line that begins $Collect.
# It changes nothing but the folder crashsift in ProgramData, which administrators alone can read.

$ErrorActionPreference = 'Stop'
# A share to which computer accounts can write, and which only support can read; empty: the file stays on the computer.
$Share = ''
# Files that are kept on the computer.
$Keep = 3

$Collect = @'
#COLLECT-SCRIPT#
'@

$base = Join-Path $env:ProgramData 'crashsift'
$outbox = Join-Path $base 'outbox'
$collector = Join-Path $base 'collect.ps1'
$started = Get-Date
try {
    $null = New-Item -ItemType Directory -Path $outbox -Force
    # SYSTEM and the administrators, by their SIDs, because their names differ by language.
    $null = & icacls.exe $base /inheritance:r /grant:r '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F'
    if ($LASTEXITCODE -ne 0) { throw 'the folder can not be protected' }
    [IO.File]::WriteAllText($collector, $Collect, (New-Object Text.UTF8Encoding($true)))

    # The script writes to the Desktop, and where there is none, as for SYSTEM, into its working folder.
    $shell = Join-Path $PSHOME 'powershell.exe'
    $process = Start-Process -FilePath $shell -WorkingDirectory $outbox -WindowStyle Hidden -Wait -PassThru `
        -ArgumentList ('-NoProfile -NonInteractive -ExecutionPolicy Bypass -File "' + $collector + '" -NoWait')
    $places = @($outbox, [Environment]::GetFolderPath('Desktop')) | Where-Object { -not [string]::IsNullOrEmpty($_) }
    $zip = Get-ChildItem -LiteralPath $places -Filter 'crash-evidence-*.zip' -File -ErrorAction SilentlyContinue |
        Where-Object { $_.LastWriteTime -ge $started } | Sort-Object LastWriteTime -Descending | Select-Object -First 1
    if ($null -eq $zip) { throw ('no zip file, exit code ' + $process.ExitCode) }
    if ($zip.DirectoryName -ne $outbox) {
        $target = Join-Path $outbox $zip.Name
        Move-Item -LiteralPath $zip.FullName -Destination $target -Force
        $zip = Get-Item -LiteralPath $target
    }
    $where = 'kept on the computer'
    if ($Share -ne '') {
        # A name of its own for each computer, so that crashsift can tell them apart.
        $folder = Join-Path $Share $env:COMPUTERNAME
        $null = New-Item -ItemType Directory -Path $folder -Force
        Copy-Item -LiteralPath $zip.FullName -Destination $folder -Force
        $where = 'on the share'
    }
    # From here on detection counts anew.
    [IO.File]::WriteAllText((Join-Path $base 'collected.txt'), $started.ToUniversalTime().ToString('u'))
    (Get-Item -LiteralPath (Join-Path $base 'collected.txt')).LastWriteTime = $started
    Get-ChildItem -LiteralPath $outbox -Filter 'crash-evidence-*.zip' -File | Sort-Object LastWriteTime -Descending |
        Select-Object -Skip $Keep | Remove-Item -Force
    Write-Output ('collected {0} KB, {1}' -f [math]::Ceiling($zip.Length / 1024), $where)
    exit 0
} catch {
    Write-Output ('not collected: ' + $_.Exception.Message)
    exit 1
} finally {
    Remove-Item -LiteralPath $collector -Force -ErrorAction SilentlyContinue
}
